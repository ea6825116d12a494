import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {createPeer} from '../../src/link/json-lines.ts';
import {requestOf} from '../../src/link/protocol.ts';
import {hostileLines} from '../hostile-json.ts';

test('[24] no line ends who reads it: a terminal that only watches is answered after each', async () => {
	const [input, output] = [new PassThrough(), new PassThrough()];
	createPeer(
		{input, output},
		{
			// A record of a call, say, is drawn as JSON.
			onRequest: async (method, params) => ({
				read: requestOf(method)?.params.safeParse(params).success,
				drawn: JSON.stringify(params),
			}),
			onNotification: () => undefined,
			onEnd: () => undefined,
		},
	);
	const person = {user: 'ann', machine: 'there'};
	const lines = [
		{jsonrpc: '2.0', id: 1, method: '_service/hello', params: {protocol: 1, version: '0', terminal: 't', person}},
		{jsonrpc: '2.0', id: 1, error: {code: 1, message: 'no', data: {code: 'usage', hint: 'none'}}},
	].flatMap(hostileLines);
	let received = '';
	output.setEncoding('utf8').on('data', text => {
		received += text;
	});
	for (const [index, line] of lines.entries()) {
		input.write(`${line}\n${JSON.stringify({jsonrpc: '2.0', id: `last ${index}`, method: '_service/ping'})}\n`);
	}

	await expect.poll(() => lines.filter((_, index) => !received.includes(`"last ${index}"`))).toEqual([]);
	expect(received).not.toContain('call stack');
});
