import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {attributeRows} from '../../../src/server/ingest/attributes.ts';

const folders = ['ingest', 'handlers'].map(name => new URL(`../../../src/server/${name}/`, import.meta.url));
const source = folders
	.flatMap(folder =>
		readdirSync(folder, {encoding: 'utf8', recursive: true})
			.filter(name => name.endsWith('.ts'))
			.map(name => new URL(name, folder)),
	)
	.filter(({pathname}) => !pathname.endsWith('/attributes.ts'))
	.map(url => readFileSync(url, 'utf8'))
	.join('\n');

test('every attribute that is documented is read, and what is read is documented', () => {
	const keys = attributeRows().map(({key}) => key);
	expect(keys.filter(key => !source.includes(`'${key.replace('*', '')}`))).toEqual([]);
	const read = [...source.matchAll(/'((?:gen_ai|service|dreadnode)\.[\w.]+)'/g)].map(([, key]) => key);
	// The name of an event, and the beginnings of families.
	const others = ['service.item', ...keys.map(key => key.replace('*', ''))];
	expect([...new Set(read)].filter(key => !others.includes(key ?? ''))).toEqual([]);
});

test('every row says what the attribute means, in a sentence', () => {
	expect(attributeRows().filter(({meaning}) => !/^[A-Z`].*\.$/.test(meaning))).toEqual([]);
});
