import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {expect, test} from 'vitest';
import type {Services} from '../../../src/server/handlers/services.ts';
import {createLogCollector} from '../../../src/server/sandboxes/log-collector.ts';
import {readLogWindow} from '../../../src/server/sandboxes/log-file.ts';
import {windowOf} from '../../../src/server/sandboxes/log-window.ts';
import type {SandboxProvider} from '../../../src/server/sandboxes/provider.ts';
import {createRandom} from '../../faults/fault.ts';
import {createTestServer} from '../harness.ts';
import {addLoggedSandbox, collecting, logReader} from './logged.ts';
import {onAnotherMachine} from './machines.ts';
import {temporaryFolder} from './sandbox.ts';

const seed = 20_261_202;
const rounds = 6;

/** The bytes of a log of any length between two offsets: lines with characters of one to four bytes. */
function bytesOf(from: number, to: number): Buffer {
	const period = Buffer.from('a line of text\nzwei grüße\n😀 three €\n');
	const first = from % period.length;
	const repeated = Buffer.alloc(Math.ceil((to - from + first) / period.length) * period.length, period);
	return repeated.subarray(first, first + to - from);
}

const expected = (start: number, end: number, after: number | undefined) =>
	windowOf({start, end}, async (from, to) => bytesOf(from, to), after);

test(`offsets around 2^31 and 2^32 are those of the whole log, on its machine and from the database (seed ${seed})`, async () => {
	const random = createRandom(seed);
	for (let round = 0; round < rounds; round += 1) {
		const server = await createTestServer();
		const sandbox = await addLoggedSandbox(server);
		const start = 2 ** (31 + (round % 2)) - 300_000 + random.below(300_000);
		let end = start + 1;
		const readLog: SandboxProvider['readLog'] = (_, {after}) => expected(start, end, after);
		const onEngine = (services: Services): Services => {
			const other = collecting(services);
			const provider = {...other.sandboxes.provider, readLog};
			return {...other, sandboxes: {...other.sandboxes, provider}};
		};
		const collector = createLogCollector(onEngine(server.services));
		await collector.renew();
		await collector.claim();
		const there = logReader(server, collecting(onAnotherMachine(server)), sandbox.environmentId);
		let next = 0;
		while (end < start + 500_000) {
			end += random.below(200_000);
			server.advance(2000);
			await collector.collect();
			// What was before the beginning is gone but for the end of a line.
			const [least, most] = [Math.max(next, start), end];
			for (const after of [undefined, next, least + random.below(most - least + 1), most]) {
				const answer = await there(after);
				const offset = Number(answer.offset);
				const from = Number(answer.start);
				const text = bytesOf(Math.max(from, start), offset).toString();
				const what = {round, start, end, after, from, offset};
				expect([what, answer.logs === (from < start ? `\n${text}` : text)]).toEqual([what, true]);
				expect([what, after === undefined || from >= Math.min(after - 3, most)]).toEqual([what, true]);
			}

			// Of a character at the end, a part may be there.
			for (let offset = -1; offset !== next; ) {
				offset = next;
				next = Number((await there(next)).offset);
			}

			expect(most - next).toBeLessThan(4);
		}
	}
});

test(`files of a log that are named by offsets around 2^31 and 2^32 are read at those (seed ${seed})`, async () => {
	const random = createRandom(seed);
	for (let round = 0; round < rounds; round += 1) {
		const folder = join(await temporaryFolder(), 'log');
		mkdirSync(folder);
		const start = 2 ** (31 + (round % 2)) - random.below(400_000);
		let end = start;
		for (let file = 0; file < 4; file += 1) {
			const bytes = bytesOf(end, end + 1 + random.below(200_000));
			writeFileSync(join(folder, `${String(end).padStart(15, '0')}.log`), bytes);
			end += bytes.length;
		}

		const offsets = Array.from({length: 20}, () => start + random.below(end - start + 1));
		for (const after of [undefined, 0, end + 5, ...offsets]) {
			const [window, whole] = [await readLogWindow(folder, after), await expected(start, end, after)];
			const what = {round, start, end, after, from: window?.start, offset: window?.offset};
			expect([what, isDeepStrictEqual(window, whole)]).toEqual([what, true]);
		}
	}
});
