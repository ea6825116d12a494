import {networkInterfaces} from 'node:os';
import {expect, test} from 'vitest';
import {servedFields} from '../../../src/command/views/server-lines.ts';

test('[9] a server on every address prints a login for this machine, and one for others that allows plain HTTP', async () => {
	const served = {
		metricsUrl: undefined,
		folder: '/data',
		engine: 'sqlite',
		sandboxes: 'none',
		isEmpty: false,
		demo: undefined,
		url: '',
	} as const;
	const logins = (at: string) => servedFields(served, at).filter(([name]) => name === 'log in' || name === 'elsewhere');
	const addresses = Object.values(networkInterfaces())
		.flatMap(list => list ?? [])
		.filter(({internal, family}) => !internal && family === 'IPv4')
		.map(({address}) => address);
	for (const everywhere of ['0.0.0.0', '[::]']) {
		const [here, ...others] = logins(`http://${everywhere}:8700`);
		expect(here).toEqual(['log in', expect.stringMatching(/login --server http:\/\/127\.0\.0\.1:8700$/)]);
		expect(others.length).toBeLessThanOrEqual(3);
		for (const address of addresses.slice(0, 3)) {
			expect(others.map(String).join('\n')).toContain(`--server http://${address}:8700 --insecure-http`);
		}
	}

	expect(logins('http://192.0.2.1:80').map(String)).toEqual([expect.stringMatching(/^log in,.* --insecure-http$/)]);
	expect(logins('https://agents.example').map(String)).toEqual([expect.stringMatching(/ https:\/\/agents\.example$/)]);
});
