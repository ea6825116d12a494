import {createRequire} from 'node:module';
import {expect, test} from 'vitest';
import {createBuiltins, requireLazily} from '../../src/loader/lazy-builtin.ts';

const node = createRequire(import.meta.url);

/** Requires lazily, and remembers what was loaded. */
function lazily(id: string) {
	const loaded: string[] = [];
	const required = requireLazily(name => {
		loaded.push(name);
		return node(name);
	}, id) as Record<string, unknown>;
	return {required, loaded};
}

test.each([
	'node:crypto',
	'crypto',
	'node:fs/promises',
	'node:child_process',
	'node:http',
	'node:os',
	'node:perf_hooks',
])('%s is loaded when something of it is used, not before', id => {
	const {required, loaded} = lazily(id);
	expect(loaded).toEqual([]);
	expect(Object.keys(required)).toEqual(Object.keys(node(id)));
	expect(loaded.length).toBeGreaterThan(0);
});

test('what a lazy builtin has is the same as in the builtin, also when it is copied', () => {
	const {required} = lazily('node:crypto');
	const builtin = node('node:crypto');
	expect(required['randomUUID']).toBe(builtin.randomUUID);
	expect('randomUUID' in required).toBe(true);
	expect('randomWord' in required).toBe(false);
	expect(required['randomWord']).toBeUndefined();
	expect({...required}['createHash']).toBe(builtin.createHash);
	expect(Object.getOwnPropertyDescriptor(required, 'createHash')?.value).toBe(builtin.createHash);
});

test('other builtins are what Node returns', () => {
	const {required, loaded} = lazily('node:path');
	expect(loaded).toEqual(['node:path']);
	expect(required).toBe(node('node:path'));
});

test('a module imports a builtin with itself as the default export, and loads a slow one when it uses something of it', () => {
	const loaded: string[] = [];
	const builtin = createBuiltins(name => {
		loaded.push(name);
		return node(name);
	});
	const imported = builtin('node:crypto') as {readonly default: object; readonly randomUUID: unknown};
	expect(loaded).toEqual([]);
	expect(imported.randomUUID).toBe(node('node:crypto').randomUUID);
	expect(Reflect.get(imported.default, 'randomUUID')).toBe(imported.randomUUID);
	expect(builtin('node:crypto')).toBe(imported);
	expect(builtin('node:path')).toMatchObject({default: node('node:path')});
});
