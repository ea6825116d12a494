import fc from 'fast-check';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {operations} from '../../src/contract/extensions.ts';
import {matchPath} from '../../src/contract/path.ts';
import {apiKeySchema} from '../../src/contract/resources/account.ts';
import {invitationSchema} from '../../src/contract/resources/invitation.ts';
import {valuesOf} from '../contract/arbitrary.ts';
import {httpServer} from '../net/servers.ts';

const rows = Object.entries<Endpoint>(operations).map(([id, row]) => ({
	...row,
	answers: keyAnswers(id) ?? invitationAnswers(id) ?? (row.result && valuesOf(row.result)),
}));

/** Returns the answers about API keys, which the contract doesn't show: a list of objects, or one of them. */
function keyAnswers(id: string): fc.Arbitrary<unknown> | undefined {
	const key = valuesOf(apiKeySchema).map(value => ({...(value as object), id: '6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11'}));
	return id === 'listApiKeys' ? fc.array(key) : id === 'createApiKey' ? key : undefined;
}

/** Returns the answers about invitations, among which there is a pending one: the contract allows any state. */
function invitationAnswers(id: string): fc.Arbitrary<unknown> | undefined {
	const pending = valuesOf(invitationSchema).map(value => ({...(value as object), state: 'pending'}));
	return id === 'listInvitations'
		? fc.record({
				items: fc.tuple(valuesOf(invitationSchema), pending),
				total: fc.nat(),
				page: fc.nat(),
				page_size: fc.nat(),
			})
		: undefined;
}

/** Starts a server that gives every operation a random valid response, the same for a seed. */
export function anyApi(seed: number) {
	return httpServer((request, response) => {
		request.resume();
		const path = (request.url ?? '').split('?', 1)[0] ?? '';
		const row = rows.find(({method, path: pattern}) => method === request.method && matchPath(pattern, path));
		const [value] = row?.answers ? fc.sample(row.answers, {numRuns: 1, seed}) : [];
		response.writeHead(row ? (row.answers ? 200 : 204) : 404, {'content-type': 'application/json'});
		response.end(value === undefined ? '' : JSON.stringify(value));
	});
}
