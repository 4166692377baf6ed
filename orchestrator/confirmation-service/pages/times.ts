/** Times and spans as people read them; always UTC, always exact beside the span. */
export const utc = (seconds: number): string => {
  const text = new Date(seconds * 1000).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`
}

const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`

/** `4 minutes`, `2 hours`: rounded down, so that it never promises more than there is. */
export const span = (seconds: number): string => {
  if (seconds < 60) return plural(Math.max(0, Math.floor(seconds)), "second")
  if (seconds < 3_600) return plural(Math.floor(seconds / 60), "minute")
  if (seconds < 172_800) return plural(Math.floor(seconds / 3_600), "hour")
  return plural(Math.floor(seconds / 86_400), "day")
}
