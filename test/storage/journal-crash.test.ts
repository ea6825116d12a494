import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {build} from 'esbuild';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {openJournal} from '../../src/storage/journal.ts';
import {linesOf, recorded, run, sessionId} from './records.ts';
import {temporaryFolder} from './temporary.ts';

const id = sessionId;

test('a session cut at any byte keeps every whole record, and goes on [17]', async () => {
	const path = join(temporaryFolder(), `${id}.jsonl`);
	const records = recorded(run('grüße 👋'));
	const bytes = Buffer.from(linesOf(records));
	await fc.assert(
		fc.asyncProperty(fc.nat(bytes.length), async cut => {
			rmSync(`${path}.torn`, {force: true});
			writeFileSync(path, bytes.subarray(0, cut));
			// A record is whole once its last brace is there, also without the line end behind it.
			const kept = records.filter((_, index) => Buffer.byteLength(linesOf(records.slice(0, index + 1))) - 1 <= cut);
			const opened = await openJournal({id, path});
			expect(opened.records).toEqual(kept);
			expect(opened.nextSeq).toBe(kept.length);
			for (const record of records.slice(kept.length)) {
				opened.journal.append(record);
			}

			await opened.journal.close();
			expect(readFileSync(path)).toEqual(bytes);
			const torn = opened.setAside ? readFileSync(opened.setAside) : Buffer.from('\n');
			const whole = Buffer.from(linesOf(kept));
			expect(Buffer.concat([whole, torn.subarray(0, -1)]).subarray(0, cut)).toEqual(bytes.subarray(0, cut));
		}),
	);
});

test('a message that counted as saved survives a kill, and the next process takes the session over [17]', async () => {
	const folder = temporaryFolder();
	const worker = join(folder, 'worker.mjs');
	await build({
		entryPoints: [join(import.meta.dirname, 'journal-worker.ts')],
		outfile: worker,
		bundle: true,
		platform: 'node',
		format: 'esm',
	});
	const child = spawn(process.execPath, [worker, join(folder, 'home'), folder, id], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [line] = await once(child.stdout, 'data');
	const path = String(line).trim();
	child.kill('SIGKILL');
	await once(child, 'exit');

	expect(existsSync(`${path}.lock`)).toBe(true);
	const {records, journal} = await openJournal({id, path});
	expect(records.slice(0, 2)).toEqual(recorded(run('precious').slice(0, 2)));
	expect(records.map(({seq}) => seq)).toEqual(records.map((_, index) => index));
	await journal.close();
	expect(existsSync(`${path}.lock`)).toBe(false);
});
