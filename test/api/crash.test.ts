/** A process that dies while evidence is being used up: the evidence counts once, and the bind happens once. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { afgResolverAbi } from "../../deployments/abi/index.ts"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import { startProcess } from "../../scripts/local/process.ts"
import { agreed, decide } from "./support/jobs.ts"
import { type ApiWorld, agentOf, startApi, unique } from "./support/world.ts"

describe("an orchestrator killed while it takes a confirmation", () => {
  let world: ApiWorld
  before(async () => {
    world = await startApi()
  })
  after(async () => {
    await world.stop()
  })

  /** In the open transaction; when it is committed and the keeper has signed the bind; when the bind is sent. */
  for (const failpoint of ["fund.consumed", "keeper.prepared", "keeper.sent"])
    it(`at ${failpoint}: the client's repeated call succeeds, with one bind`, async () => {
      const buyer = agentOf(world, "buyer")
      const { contract } = await agreed(world)
      const { evidence, confirmation } = await decide(world, contract.job_id)
      await world.pause()
      const dying = await startProcess({
        name: "orchestrator",
        args: ["--disable-warning=ExperimentalWarning", join(projectRoot, "orchestrator", "main.ts")],
        logFile: join(world.environment.DATA_DIR ?? "", "..", "dying.log"),
        env: { ...world.environment, AFG_FAILPOINT: failpoint },
      })
      const answer = buyer.fund(contract.job_id, evidence, confirmation, { idempotencyKey: unique() })
      assert.equal((await dying.exited).signal, "SIGKILL")
      await world.restart()
      assert.equal((await answer).status, "bound")
      const logs = await world.node.test.getContractEvents({
        address: world.node.deployment.contracts.AFGResolver.address,
        abi: afgResolverAbi,
        eventName: "Bound",
        fromBlock: 0n,
      })
      assert.equal(logs.filter(({ args }) => BigInt(args.ref ?? 0) === BigInt(contract.escrow.escrow_ref)).length, 1)
    })
})
