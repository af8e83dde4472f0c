// Receives webhooks: SECRET=whsec_… node webhook-receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const key = Buffer.from(process.env.SECRET.replace('whsec_', ''), 'base64')
const seen = new Set() // in a real receiver: a table with a unique column, written with what the event changes

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - time) < 300)) return false // an old request, sent again by someone else
  const expected = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest()
  const given = signatures.split(' ').map((each) => Buffer.from(each.replace(/^v1,/, ''), 'base64'))
  return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected))
}

async function receive(request, response) {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end()
  const id = request.headers['webhook-id']
  if (!seen.has(id)) console.log(JSON.parse(body).type, id) // here: do something with it
  seen.add(id)
  response.writeHead(204).end()
}

const server = createServer((request, response) => {
  receive(request, response).catch((error) => {
    console.error(error.message) // the sender hung up, or something failed here: it's sent again
    response.writeHead(500).end()
  })
})
server.listen(process.env.PORT ?? 8000, '127.0.0.1', () => console.log(`listening on ${server.address().port}`))
