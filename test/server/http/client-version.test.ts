import {expect, test} from 'vitest';
import {problemSchema} from '../../../src/contract/problem.ts';
import {checkClientVersion} from '../../../src/server/http/request-checks.ts';

const url = new URL('http://127.0.0.1/api/v1/user/preferences');
const ask = (agent: string | undefined, minimum: string | undefined) =>
	checkClientVersion(new Request(url, {headers: agent === undefined ? {} : {'user-agent': agent}}), url, minimum);

test.each([
	['service/0.1.9', '0.2.0'],
	['service/0.9.0', '0.10.0'],
	['service/1.0.0-beta', '1.0.0'],
	['service/0.1.0 (linux)', '1'],
])('%s is rejected by a server that needs %s', async (agent, minimum) => {
	const refused = ask(agent, minimum);
	expect(problemSchema.parse(await refused?.json())).toMatchObject({code: 426, type: 'upgrade_required_error'});
});

test.each([
	['service/0.2.0', '0.2.0'],
	['service/0.10.0', '0.9.0'],
	['service/2.0.0', '1'],
	['service/0.1.0', undefined],
	['curl/8.5.0', '9.0.0'],
	['Mozilla/5.0 service/0.1.0', '9.0.0'],
	['service/test', '9.0.0'],
	[undefined, '9.0.0'],
])('%s is accepted by a server that needs %s', (agent, minimum) => {
	expect(ask(agent, minimum)).toBeUndefined();
});
