import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {readText} from '../../src/net/read-body.ts';
import {createTransport} from '../../src/net/undici-transport.ts';

// Run as a bundled process of its own by proxy.test.ts: sends one GET with a key of `origin`, and prints the answer.
const [origin = '', url = ''] = process.argv.slice(2);
const credential = {origin: originOf(origin), kind: 'bearer', secret: secret(process.env['KEY'] ?? '')} as const;
const send = createTransport({userAgent: 'service/test', env: process.env, credential});
const answer = await send({method: 'GET', url});
process.stdout.write(`${answer.status} ${await readText(answer)}`);
await send.close();
