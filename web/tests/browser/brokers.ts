// Brokers for tests: a local server that speaks the protocols of Hyperliquid and Alpaca.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canary } from './journal';

/** The address that Hyperliquid knows. It has no fills. */
export const address = `0x${'ab'.repeat(20)}`;

/** Answers as Hyperliquid does. */
function answerHyperliquid({ type, user }: { type: string; user: string }): unknown {
  if (type === 'userRole') return { role: user === address ? 'user' : 'missing' };
  return [];
}

const fills = ['buy', 'sell'].map((side, i) => ({
  id: `20260302::${i}`,
  activity_type: 'FILL',
  transaction_time: `2026-03-02T15:0${i}:00Z`,
  type: 'fill',
  symbol: 'AAPL',
  side,
  price: String(200 + i),
  qty: '10',
  order_id: `order-${i}`,
}));

/** Answers as Alpaca does. The secret "wrong" is refused, with words that try to run a script. */
function answerAlpaca(request: IncomingMessage): [status: number, body: unknown] {
  const { pathname, searchParams } = new URL(request.url!, 'http://broker.example');
  if (request.headers['apca-api-secret-key'] === 'wrong') return [401, { message: canary }];
  if (pathname === '/v2/account') return [200, { account_number: 'PA1' }];
  const [after, until] = ['after', 'until'].map((name) => Date.parse(searchParams.get(name)!));
  const isAsked = (at: number) => at > after! && at < until!;
  return [200, fills.filter((fill) => isAsked(Date.parse(fill.transaction_time)))];
}

/** Starts a server that answers as brokers do, and returns the settings with which Fillbook calls it. */
export async function startBrokers(): Promise<{ env: Record<string, string>; stop: () => void }> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += part));
    request.on('end', () => {
      const [status, body] =
        request.method === 'POST'
          ? [200, answerHyperliquid(JSON.parse(text) as { type: string; user: string })]
          : answerAlpaca(request);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { SVC_OUTBOUND: 'true', SVC_OUTBOUND_ENDPOINTS: `alpaca=${to},hyperliquid=${to}` },
    stop: () => server.close(),
  };
}
