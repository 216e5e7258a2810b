// Brokers for tests: a local server that speaks the protocols of Hyperliquid and Alpaca.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canary } from './journal';

/** The address that the exchange knows. */
export const address = `0x${'ab'.repeat(20)}`;
const opened = Date.parse('2026-03-02T15:00:00Z');

const fills = (['B', 'A'] as const).map((side, i) => ({
  coin: 'ETH',
  px: String(3000 + i * 100),
  sz: '2',
  side,
  time: opened + i * 600_000,
  oid: i + 1,
  crossed: true,
  fee: '0.5',
  feeToken: 'USDC',
  tid: i + 1,
}));

interface Query {
  type: string;
  user?: string;
  startTime?: number;
  endTime?: number;
}

/** Answers as Hyperliquid does. It knows one address. */
function answerHyperliquid({ type, user, startTime = 0, endTime = Infinity }: Query): unknown {
  if (type === 'userRole') return { role: user === address ? 'user' : 'missing' };
  if (type !== 'userFillsByTime') return [];
  return fills.filter((fill) => fill.time >= startTime && fill.time <= endTime);
}

/** Answers as Alpaca does. The secret "wrong" is refused. */
function answerAlpaca(request: IncomingMessage): [status: number, body: unknown] {
  if (request.headers['apca-api-secret-key'] === 'wrong') return [401, { message: canary }];
  return [200, request.url!.startsWith('/v2/account/activities') ? [] : { account_number: 'PA1' }];
}

/** Starts a server that answers as brokers do, and returns the settings with which Fillbook calls it. */
export async function startBrokers(): Promise<{ env: Record<string, string>; stop: () => void }> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += part));
    request.on('end', () => {
      const [status, body] =
        request.method === 'POST'
          ? [200, answerHyperliquid(JSON.parse(text) as Query)]
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
