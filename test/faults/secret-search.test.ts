import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {deflateSync, gzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {folderWith} from '../e2e/program.ts';
import {createRandom} from './fault.ts';
import {type Canary, drawSecret, findLeaks, noise, tracesBelow} from './secret-search.ts';

/** Programs that leak a secret: what each writes instead of it. */
const leaks: ReadonlyArray<readonly [string, (value: string) => string | Buffer]> = [
	['as it is', value => value],
	['its first half', value => value.slice(0, 20)],
	['its last half', value => value.slice(20)],
	['in JSON', value => JSON.stringify({headers: {authorization: `Bearer ${value}`}})],
	['in JSON in JSON', value => JSON.stringify(JSON.stringify(value))],
	['in a URL', value => new URL(`http://127.0.0.1/?key=${encodeURIComponent(value)}`).href],
	['in a form', value => new URLSearchParams({token: value}).toString()],
	['in base64', value => Buffer.from(value).toString('base64')],
	['in base64 behind one byte', value => Buffer.from(`:${value}`).toString('base64')],
	['in base64url between others', value => Buffer.from(`ab${value}xyz`).toString('base64url')],
	['as a user and password', value => `Basic ${Buffer.from(`user:${value}`).toString('base64')}`],
	['in hex', value => Buffer.from(value).toString('hex')],
	['in HTML', value => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
	['in UTF-16', value => Buffer.from(value, 'utf16le')],
	['compressed', value => gzipSync(`text ${value} text`)],
	['deflated', value => deflateSync(JSON.stringify([value]))],
];

test.each(leaks)('[8] a planted secret is found: %s', (_, write) => {
	const random = createRandom(26);
	for (let turn = 0; turn < 20; turn += 1) {
		const value = drawSecret(random, {isEscaped: turn % 2 === 0});
		const canary: Canary = {name: 'the planted one', value, mayBeIn: place => place === 'the file config.json'};
		const other: Canary = {name: 'another', value: drawSecret(random), mayBeIn: () => false};
		const folder = folderWith({'config.json': value});
		mkdirSync(join(folder, 'deep/er'), {recursive: true});
		const bytes = Buffer.from(write(value));
		const isCompressed = bytes[0] === 0x1f || bytes[0] === 0x78;
		writeFileSync(join(folder, 'deep/er/log'), isCompressed ? bytes : Buffer.concat([noise(), bytes, noise()]));
		const found = findLeaks([canary, other], tracesBelow(folder));
		expect(found.map(leak => leak.replace(/ \(.*/s, ''))).toEqual(['the planted one']);
	}
});

test('[8] a secret in a name is found, and nothing else is taken for one', () => {
	const random = createRandom(26);
	const value = drawSecret(random);
	const canary: Canary = {name: 'key', value, mayBeIn: () => false};
	expect(findLeaks([canary], tracesBelow(folderWith({[`${value}.json`]: ''})))).toHaveLength(1);
	const last4 = `key ends in ${value.slice(-4)}, begins with ${value.slice(0, 8)}`;
	expect(findLeaks([canary], tracesBelow(folderWith({'keys.txt': last4})))).toEqual([]);
});
