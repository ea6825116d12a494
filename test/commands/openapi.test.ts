import {readFileSync} from 'node:fs';
import {Validator} from '@seriousme/openapi-schema-validator';
import {expect, test} from 'vitest';
import {openApiDocument} from '../../src/contract/openapi.ts';
import {dataOf, drawn, testContext} from './context.ts';

test.each([
	[{}, {}, '/'],
	[{SERVICE_SERVER: 'https://a.example'}, {}, 'https://a.example'],
	[{SERVICE_SERVER: 'https://a.example'}, {server: '127.0.0.1:8700'}, 'http://127.0.0.1:8700'],
])('openapi %j %j prints a valid document for %s', async (env, flags, server) => {
	const result = await testContext({env, flags}).run('openapi');
	const document = openApiDocument({server});
	expect(dataOf(result)).toEqual(document);
	expect(result).toEqual({kind: 'lines', lines: JSON.stringify(document, undefined, 2).split('\n'), data: document});
	for (const width of [80, 120]) {
		const lines = drawn(result, width).split('\n');
		expect(lines.slice(0, 2)).toEqual(['{', '  "openapi": "3.1.0",']);
		expect(lines.filter(line => line.length > width)).toEqual([]);
		expect(lines.join('').replaceAll(' ', '')).toBe(JSON.stringify(document).replaceAll(' ', ''));
	}

	expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({valid: true});
});

test('in the app, openapi writes a file instead of thousands of lines into the conversation', async () => {
	const here = testContext();
	const kept = dataOf(await here.runInApp('openapi')) as {readonly path: string};
	const text = readFileSync(kept.path, 'utf8');
	expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(openApiDocument({server: '/'}))));
	const named = await here.runInApp('openapi', 'api.json');
	expect(drawn(named, 80)).toMatch(/^Wrote .*api\.json\.$/s);
	expect(readFileSync((dataOf(named) as {readonly path: string}).path, 'utf8')).toBe(text);
});

test('an invalid URL is refused', async () => {
	await expect(testContext({flags: {server: 'ftp://a'}}).run('openapi')).rejects.toMatchObject({code: 'usage'});
});
