/** Out-of-band channels (AACP variant C): which of a person's registered channels satisfy a request. */
import type { ConfirmationRequest } from "../request.ts"
import { type ConfirmationStatus, createStatus } from "../status.ts"

/** A channel registered before, with the assurance that deciding through it gives. */
export type RegisteredChannel = { readonly mode: string; readonly loa: number }

/** Those that may be used, in the request's order of modes, else in the order of registration. */
export const usableChannels = <C extends RegisteredChannel>(request: ConfirmationRequest, registered: readonly C[]): C[] => {
  const { "min-loa": minLoa = 0, modes } = request.channel ?? {}
  const strong = registered.filter(({ loa }) => loa >= minLoa)
  return modes === undefined ? strong : modes.flatMap((mode) => strong.filter((channel) => channel.mode === mode))
}

/** What a service reports when no channel will do: the person was not asked, so there is no decision. */
export const noChannel = (request: ConfirmationRequest, now: number): ConfirmationStatus =>
  createStatus(request["request-id"], "channel-unreachable", now)

/**
 * All that a side channel is told: a link and a verb (AACP §12). The descriptor stays with the service, which shows it
 * behind the link.
 */
export const sideChannelNotice = (request: ConfirmationRequest, page: string): { readonly verb: string; readonly link: string } => ({
  verb: request["action-descriptor"]?.actions[0] ?? "confirm",
  link: page,
})
