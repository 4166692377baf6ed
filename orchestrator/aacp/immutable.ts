/**
 * Objects that were read once and never change, so that what is computed from them is computed once: a descriptor's digests are
 * asked for when the request is made, when it is checked and at every verification.
 */
const frozen = new WeakSet<object>()

/** Freezes a value and all it holds, and returns it. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== "object" || value === null || frozen.has(value)) return value
  for (const member of Object.values(value)) deepFreeze(member)
  Object.freeze(value)
  frozen.add(value)
  return value
}

/** Remembers `compute(object)` for objects that {@link deepFreeze} has frozen; computes anew for all others. */
export const oncePerObject = <K extends object, V>(compute: (object: K) => V): ((object: K) => V) => {
  const known = new WeakMap<K, { value: V }>()
  return (object) => {
    const found = known.get(object)
    if (found !== undefined) return found.value
    const value = compute(object)
    if (frozen.has(object)) known.set(object, { value })
    return value
  }
}
