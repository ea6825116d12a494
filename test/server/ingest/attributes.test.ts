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

test('every documented attribute is read, and every attribute that is read is documented', () => {
	const keys = attributeRows().map(({key}) => key);
	expect(keys.filter(key => !source.includes(`'${key.replace('*', '')}`))).toEqual([]);
	const read = [...source.matchAll(/'((?:gen_ai|service|dreadnode)\.[\w.]+)'/g)].map(([, key]) => key);
	// The name of an event, and prefixes of families.
	const others = ['service.item', ...keys.map(key => key.replace('*', ''))];
	expect([...new Set(read)].filter(key => !others.includes(key ?? ''))).toEqual([]);
});

test('every row explains the attribute in a sentence', () => {
	expect(attributeRows().filter(({meaning}) => !/^[A-Z`].*\.$/.test(meaning))).toEqual([]);
});
