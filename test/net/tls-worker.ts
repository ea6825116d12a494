import {readTlsInfo} from '../../src/net/tls-info.ts';

// Run as a bundled process of its own by tls-info.test.ts, which has it trust a certificate: prints what it sees.
const [address = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await readTlsInfo(new URL(address), {}, new AbortController().signal)));
