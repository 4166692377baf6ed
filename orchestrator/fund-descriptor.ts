/** Where the job contract and AACP meet: the action descriptor of funding one job, the same for the API and for the confirmation service. */
import { type ActionDescriptor, descriptorOf } from "./aacp/index.ts"
import type { FundAction } from "./contract/fund-action.ts"

/** What `x-aacp` makes of the fund operation, with the contract's own deadline: asking again gives the same digest. */
export const fundDescriptor = (action: FundAction): ActionDescriptor => ({
  ...descriptorOf(action.xAacp, { location: action.location, fields: { ...action.fields } }),
  expires: action.expires,
})
