import {expect, test} from 'vitest';
import type {SendWeb, WebRequest} from '../../../../src/net/web/web-request.ts';
import {openFetch} from './fetching.ts';

test('a redirect from https to http on the same host is asked about, and gets no headers [7]', async () => {
	const sent: WebRequest[] = [];
	const send: SendWeb = async request => {
		sent.push(request);
		const headers: Record<string, string> = sent.length === 1 ? {location: 'http://api.example.com/'} : {};
		return {status: sent.length === 1 ? 302 : 200, headers, bytes: Buffer.from('ok'), isCut: false};
	};
	const {fetch, asked} = openFetch({send, insecureHttp: true});
	await fetch({url: 'https://api.example.com/', headers: {authorization: 'Bearer t'}});
	expect(asked.map(({act}) => act)).toMatchObject([
		{url: 'https://api.example.com/'},
		{url: 'http://api.example.com/'},
	]);
	expect(sent.map(({headers}) => 'authorization' in headers)).toEqual([true, false]);
});
