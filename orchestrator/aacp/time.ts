/** RFC 3339 times as Unix seconds. No clock is read here. */
const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/
const WHOLE_SECONDS_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

const digits = (text: string, at: number): number => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48

/** The spelling that this library writes, without the general pattern's cost. */
const parseWholeSeconds = (text: string): number | null => {
  const [year, month, day] = [digits(text, 0) * 100 + digits(text, 2), digits(text, 5), digits(text, 8)]
  const [hour, minute, second] = [digits(text, 11), digits(text, 14), digits(text, 17)]
  // Date.UTC takes two-digit years for the last century's, and lets 30 February roll over; the 28th exists in every month.
  if (year < 100 || day > 28) return parseCalendar(text)
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000
}

/** Unix seconds (with a fraction where given), or null when `text` is no RFC 3339 date-time. A leap second is refused. */
export const parseTime = (text: string): number | null => (WHOLE_SECONDS_UTC.test(text) ? parseWholeSeconds(text) : parseCalendar(text))

const parseCalendar = (text: string): number | null => {
  const found = RFC3339.exec(text)
  if (found === null) return null
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [number, number, number, number, number, number]
  if (hour > 23 || minute > 59 || second > 59) return null
  const date = new Date(0)
  const midnight = date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  const zone = found[8] ?? "Z"
  let offset = 0
  if (zone.length > 1) {
    const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))]
    if (hours > 23 || minutes > 59) return null
    offset = (zone.startsWith("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
  const millis = midnight + ((hour * 60 + minute) * 60 + second) * 1000
  return millis / 1000 - offset + (found[7] === undefined ? 0 : Number(`0${found[7]}`))
}

/** `YYYY-MM-DDTHH:MM:SSZ`: the one spelling that this library writes. Fractions are cut, so never later than given. */
export const formatTime = (seconds: number): string => `${new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19)}Z`

/** Whether `text` is exactly what {@link formatTime} writes, so that it survives a round trip through CBOR's tag 1. */
export const isWholeSecondsUtc = (text: string): boolean => {
  if (!WHOLE_SECONDS_UTC.test(text)) return false
  const seconds = parseTime(text)
  return seconds !== null && formatTime(seconds) === text
}
