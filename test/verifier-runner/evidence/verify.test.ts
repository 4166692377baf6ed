/** Evidence that was tampered with, is about something else, or is signed by someone else. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { verifyTypedData } from "ethers"
import fc from "fast-check"
import { contractHash, domainOf, fromUnix, hashTerms, MESSAGE_TYPES, termsOf } from "../../../orchestrator/contract/index.ts"
import { canonicalBytes, type JsonValue } from "../../../orchestrator/json/index.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import { isSha256, type Sha256 } from "../../../orchestrator/types.ts"
import { signVerdict } from "../../../orchestrator/verifier-runner/evidence/sign.ts"
import { type BundleFiles, type EvidenceBundle, merkleRoot, sha256Of, verifyBundle } from "../../../orchestrator/verifier-runner/index.ts"
import { plainContract, signerOf, verifyPlain } from "../support/plain.ts"

const contract = plainContract()
const contractBytes = canonicalBytes(JSON.parse(JSON.stringify(contract)) as JsonValue)
const good = await verifyPlain()

const bytesOf = (bundle: unknown): Uint8Array => Buffer.from(JSON.stringify(bundle))
const filesOf = (bundle: unknown, blobs: BundleFiles["blobs"] = new Map()): BundleFiles => ({ bundle: bytesOf(bundle), blobs })
const check = (bundle: unknown, given: Uint8Array | undefined = contractBytes, blobs?: BundleFiles["blobs"]) =>
  verifyBundle(filesOf(bundle, blobs), { contract: given })

/** Changes something and signs it anew, as whoever has the verifier's key could. */
const resigned = async (
  change: (bundle: EvidenceBundle) => void,
  role: "verifier" | "fallback" | "buyer" = "verifier",
): Promise<EvidenceBundle> => {
  const bundle = structuredClone(good.bundle)
  change(bundle)
  bundle.merkle_root = merkleRoot(bundle)
  bundle.verifier_sig = await signVerdict(contract, bundle, signerOf(role))
  return bundle
}
const codes = ({ problems }: { problems: { code: string }[] }): string[] => [...new Set(problems.map(({ code }) => code))]

describe("a bundle", () => {
  it("that is whole is valid", async () => {
    assert.deepEqual(await check(good.bundle), {
      valid: true,
      merkle_root: good.bundle.merkle_root,
      verifier: "verifier.one",
      anchored: null,
      problems: [],
    })
  })

  it("without a contract is not established", async () => {
    const report = await verifyBundle(filesOf(good.bundle))
    assert.deepEqual([report.valid, codes(report)], [null, ["signature-not-established"]])
  })

  it("without a signature is not established", async () => {
    const { bundle } = await verifyPlain({ signer: null })
    const report = await check(bundle)
    assert.deepEqual([report.valid, codes(report)], [null, ["signature-missing"]])
  })

  it("carries a signature that another implementation agrees with", () => {
    const { bundle } = good
    const signer = verifyTypedData(
      domainOf(contract),
      { Verdict: [...MESSAGE_TYPES.Verdict] },
      {
        termsHash: hashTerms(termsOf(contract)),
        n: 1,
        deliverableHash: `0x${bundle.submission.deliverable_sha256}`,
        verdict: 1,
        merkleRoot: `0x${bundle.merkle_root}`,
      },
      bundle.verifier_sig ?? "0x",
    )
    assert.equal(signer, localAccount("verifier").address)
  })

  it("has the same result for the same outcome, at another time", async () => {
    const later = await verifyPlain({ at: 1_800_000_000 })
    assert.equal(later.bundle.check_results[0]?.result_sha256, good.bundle.check_results[0]?.result_sha256)
    assert.notEqual(later.bundle.merkle_root, good.bundle.merkle_root)
  })
})

describe("no change goes unseen", () => {
  /** Every place in the bundle that holds a value. */
  const places: (readonly string[])[] = []
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
      for (const [name, member] of Object.entries(value)) walk(member, [...path, name])
    else places.push(path)
  }
  walk(good.bundle, [])

  const changed = (path: readonly string[], make: (value: unknown) => unknown): unknown => {
    const copy = structuredClone(good.bundle) as unknown
    let here = copy as Record<string, unknown>
    for (const name of path.slice(0, -1)) here = here[name] as Record<string, unknown>
    const last = path.at(-1) ?? ""
    here[last] = make(here[last])
    return copy
  }

  const other = (value: unknown): unknown => {
    if (typeof value === "number") return value + 1
    if (typeof value !== "string") return "changed"
    const digit =
      value.lastIndexOf("1") >= 0 ? value.replace(/1(?=[^1]*$)/, "2") : `${value.slice(0, -1)}${value.endsWith("0") ? "1" : "0"}`
    return digit
  }

  for (const path of places)
    it(`/${path.join("/")}`, async () => {
      const report = await check(changed(path, other))
      assert.equal(report.valid, false, JSON.stringify(report))
    })

  it("nor an unknown member anywhere", async () => {
    for (const path of [["extra"], ["submission", "extra"], ["check_results", "0", "extra"]]) {
      const report = await check(changed(path, () => 1))
      assert.deepEqual([report.valid, codes(report)], [false, ["bundle-malformed"]])
    }
  })

  it("nor a missing one", async () => {
    for (const name of Object.keys(good.bundle)) {
      const { [name as keyof EvidenceBundle]: _gone, ...rest } = good.bundle
      assert.deepEqual(codes(await check(rest)), ["bundle-malformed"], name)
    }
  })

  it("nor any flipped byte of its text", async () => {
    const text = Buffer.from(good.bundleBytes)
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const bytes = Buffer.from(text)
        bytes[at] = (bytes[at] ?? 0) ^ mask
        const report = await verifyBundle({ bundle: bytes, blobs: new Map() }, { contract: contractBytes })
        // Another byte may spell the same document (an upper-case escape, a blank); then nothing was changed.
        if (report.valid !== false) assert.deepEqual(JSON.parse(bytes.toString()), JSON.parse(text.toString()))
      }),
      { numRuns: 300 },
    )
  })

  it("nor a member given twice", async () => {
    const text = Buffer.from(good.bundleBytes).toString().replace('{"check_results"', '{"verdict":"FAIL","check_results"')
    const report = await verifyBundle({ bundle: Buffer.from(text), blobs: new Map() }, { contract: contractBytes })
    assert.deepEqual([report.valid, codes(report)], [false, ["bundle-malformed"]])
  })
})

describe("even the verifier cannot sign", () => {
  const results = (bundle: EvidenceBundle) => bundle.check_results[0] as EvidenceBundle["check_results"][number]
  const cases: readonly [name: string, change: (bundle: EvidenceBundle) => void, code: string][] = [
    ["a verdict that does not follow", (bundle) => Object.assign(bundle, { verdict: "FAIL" }), "verdict-inconsistent"],
    ["a check twice", (bundle) => bundle.check_results.push(structuredClone(results(bundle))), "check-duplicate"],
    [
      "a check that the contract does not have",
      (bundle) => bundle.check_results.push({ ...structuredClone(results(bundle)), check_id: "zz" }),
      "check-unknown",
    ],
    ["a check under another name", (bundle) => Object.assign(results(bundle), { check_id: "zz" }), "check-missing"],
    ["another type", (bundle) => Object.assign(results(bundle), { type: "script_check" }), "check-mismatch"],
    ["another class", (bundle) => Object.assign(results(bundle), { class: "judgment" }), "check-mismatch"],
    [
      "an image that the check does not pin",
      (bundle) => Object.assign(results(bundle), { runner_image: `sha256:${"0".repeat(64)}` }),
      "check-mismatch",
    ],
    [
      "another deliverable in a check",
      (bundle) => Object.assign(results(bundle).input_hashes, { deliverable: "0".repeat(64) }),
      "deliverable-mismatch",
    ],
    ["a check without the deliverable", (bundle) => Object.assign(results(bundle), { input_hashes: {} }), "input-mismatch"],
    ["an input that is not pinned", (bundle) => Object.assign(results(bundle).input_hashes, { extra: "0".repeat(64) }), "input-mismatch"],
    ["another contract", (bundle) => Object.assign(bundle, { contract_hash: "0".repeat(64) }), "contract-mismatch"],
    ["another job", (bundle) => Object.assign(bundle, { job_id: "afg:job:01M0AFGC0DEF1X000000000009" }), "job-mismatch"],
    ["a submission too many", (bundle) => Object.assign(bundle.submission, { n: 9 }), "submission-out-of-range"],
    ["another verifier's name", (bundle) => Object.assign(bundle, { verifier_id: "verifier.two" }), "verifier-mismatch"],
    [
      "a log that is somewhere else",
      (bundle) => Object.assign(results(bundle), { log_uri: "ipfs://x", log_sha256: "0".repeat(64) }),
      "log-mismatch",
    ],
  ]
  for (const [name, change, code] of cases)
    it(name, async () => {
      const report = await check(await resigned(change))
      assert.equal(report.valid, false)
      assert.ok(codes(report).includes(code), JSON.stringify(report.problems))
    })

  it("with a key that the contract does not name", async () => {
    const report = await check(await resigned(() => {}, "buyer"))
    assert.deepEqual([report.valid, codes(report)], [false, ["signature-wrong"]])
  })

  it("but the fallback can, under its own name", async () => {
    const report = await check(await resigned((bundle) => Object.assign(bundle, { verifier_id: "verifier.two" }), "fallback"))
    assert.equal(report.valid, true)
  })

  it("with s in the upper half", async () => {
    const signature = good.bundle.verifier_sig ?? "0x"
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, "0")
    const v = signature.endsWith("1b") ? "1c" : "1b"
    const report = await check({ ...good.bundle, verifier_sig: `${signature.slice(0, 66)}${s}${v}` })
    assert.deepEqual([report.valid, codes(report)], [false, ["signature-malformed"]])
  })
})

describe("the contract given", () => {
  it("must be the bundle's", async () => {
    const report = await check(good.bundle, bytesOf({ ...contract, created_at: fromUnix(1_780_000_000) }))
    assert.deepEqual([report.valid, codes(report)], [false, ["contract-mismatch"]])
  })

  it("must be one", async () => {
    assert.deepEqual(codes(await check(good.bundle, Buffer.from("{}"))), ["contract-malformed"])
  })

  it("counts before the one that came along", async () => {
    const files = { ...filesOf(good.bundle), contract: contractBytes }
    assert.equal((await verifyBundle(files)).valid, true)
    const report = await verifyBundle(files, { contract: bytesOf({ ...contract, created_at: fromUnix(1_780_000_000) }) })
    assert.deepEqual(codes(report), ["contract-mismatch"])
    assert.notEqual(contractHash(contract), report.merkle_root)
  })
})

describe("blobs", () => {
  const blobs = new Map(good.blobs.map(({ sha256, bytes }) => [sha256, bytes]))
  const [result = "" as Sha256] = [...blobs.keys()]

  it("that are what they are named are taken", async () => {
    assert.equal((await check(good.bundle, contractBytes, blobs)).valid, true)
  })

  it("that are not are a problem", async () => {
    const report = await check(good.bundle, contractBytes, new Map([[result, Buffer.from("other")]]))
    assert.ok(codes(report).includes("blob-mismatch"))
  })

  it("with cases of other parameters than the contract's are a problem", async () => {
    const preimage = JSON.parse(Buffer.from(blobs.get(result) ?? []).toString()) as Record<string, unknown>
    const forged = canonicalBytes({ ...preimage, params_sha256: "0".repeat(64) } as JsonValue)
    const bundle = await resigned((one) => Object.assign(one.check_results[0] ?? {}, { result_sha256: sha256Of(forged) }))
    assert.deepEqual(codes(await check(bundle, contractBytes, new Map([[sha256Of(forged), forged]]))), ["result-mismatch"])
    assert.ok(isSha256(sha256Of(forged)))
  })
})
