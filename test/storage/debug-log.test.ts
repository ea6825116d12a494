import {mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {DebugEntry} from '../../src/core/debug.ts';
import {AppError} from '../../src/core/error.ts';
import {openDebugLog} from '../../src/storage/debug-log.ts';
import {temporaryFolder} from './temporary.ts';

const entry: DebugEntry = {
	kind: 'request',
	method: 'GET',
	url: 'https://host.example/v1/models',
	status: 200,
	durationMs: 12,
	bytes: 345,
};
const now = () => new Date('2026-11-20T10:00:00Z');

function linesOf(path: string): readonly unknown[] {
	return readFileSync(path, 'utf8')
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line));
}

test('the debug log appends one line of JSON for each entry', () => {
	const path = join(temporaryFolder(), 'debug.jsonl');
	openDebugLog(path, {now}).write(entry);
	openDebugLog(path, {now}).write({kind: 'frame', durationMs: 1.5, bytes: 20});
	expect(linesOf(path)).toEqual([
		{at: '2026-11-20T10:00:00.000Z', ...entry},
		{at: '2026-11-20T10:00:00.000Z', kind: 'frame', durationMs: 1.5, bytes: 20},
	]);
});

test.skipIf(process.platform === 'win32')('[10] the debug log is private, also if the file was not', () => {
	const folder = temporaryFolder();
	const loose = join(folder, 'loose.jsonl');
	writeFileSync(loose, '', {mode: 0o644});
	openDebugLog(loose);
	openDebugLog(join(folder, 'new.jsonl'));
	expect(statSync(loose).mode & 0o777).toBe(0o600);
	expect(statSync(join(folder, 'new.jsonl')).mode & 0o777).toBe(0o600);
});

test('[8] the debug log hides credentials by their shape and by what is known', () => {
	const path = join(temporaryFolder(), 'debug.jsonl');
	const log = openDebugLog(path);
	const shaped = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF';
	const known = 'Tr0ub4dor "and" 3\\';
	log.hideWith(text => text.replaceAll(known, '***'));
	log.write({...entry, url: `https://host.example/${shaped}/${known}`, error: `token=${shaped}`});
	const text = readFileSync(path, 'utf8');
	expect(text).not.toContain(shaped);
	expect(text).not.toContain('Tr0ub4dor');
	expect(linesOf(path)).toMatchObject([{url: 'https://host.example/***/***', error: 'token=***'}]);
});

test('a debug log that cannot be written is a wrong setting', () => {
	const folder = temporaryFolder();
	mkdirSync(join(folder, 'sub'));
	writeFileSync(join(folder, 'file'), '');
	symlinkSync(join(folder, 'file'), join(folder, 'link'));
	for (const name of ['sub', 'link', 'none/debug.jsonl', 'file/debug.jsonl']) {
		let thrown: unknown;
		try {
			openDebugLog(join(folder, name));
		} catch (error) {
			thrown = error;
		}

		expect(thrown, name).toBeInstanceOf(AppError);
		expect(thrown).toMatchObject({code: 'usage', message: expect.stringMatching(/^Invalid SERVICE_DEBUG: .*\.$/)});
	}
});
