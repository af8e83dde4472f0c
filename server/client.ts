/** An IPv4 address, or the /64 of an IPv6 address followed by its /48. */
export type Address = readonly [visitor: string, ...around: string[]]

/** What a request says about the browser that sent it. server/http/request.ts reads it. */
export type Client = {
  /** Limits count by it. */
  address: Address
  /** From the Host and User-Agent headers. */
  host: string
  agent: string
  /** The page that sent the request, from the Referer header; '' if unknown. */
  pageUrl: string
  /** The browser fetches the page ahead of time; the visitor has not opened it. */
  prefetch: boolean
  /** A page of another site sent the request. */
  isFromOtherSite: boolean
}

/** The network that a client controls: one IPv4 address, or the /48 of an IPv6 address. */
export const networkOf = ({ address }: Pick<Client, 'address'>): string => address.at(-1) ?? address[0]
