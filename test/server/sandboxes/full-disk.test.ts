import {randomUUID} from 'node:crypto';
import {mkdirSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {createLocalProvider} from '../../../src/server/sandboxes/local-provider.ts';
import type {SandboxSpec} from '../../../src/server/sandboxes/provider.ts';
import {createSupervisorLog} from '../../../src/server/sandboxes/supervisor/supervisor-log.ts';
import {createRandom} from '../../faults/fault.ts';
import {canMount, notRoot, smallDisk} from '../../small-disk.ts';
import {eventually, plainPath} from './sandbox.ts';
import {supervisor} from './supervisor.ts';

test.skipIf(!canMount)(
	`a full disk is said, loses no sandbox and no end, and what was not written is counted once there is space${notRoot}`,
	async () => {
		const {root, fill, free} = await smallDisk();
		const provider = createLocalProvider({
			root: join(root, 'sandboxes'),
			graceMs: 300,
			environment: {PATH: plainPath},
			supervisor,
			allowUncontained: true,
		});
		const start = async (line: string) => {
			const id = randomUUID();
			onTestFinished(() => provider.remove(id));
			const spec: SandboxSpec = {
				...{id, organization: randomUUID(), files: new Map([['file', 'x'.repeat(5000)]]), build: [], environment: {}},
				...{command: {name: 'command', command: ['sh', '-c', line]}, deadline: {after: 60_000, action: 'end'}},
			};
			await provider.start(spec);
			return id;
		};
		const log = async (id: string) => (await provider.readLog(id, {}))?.text ?? '';
		const [ended, writes] = [
			await start('echo ready; exec sleep 1000'),
			await start('n=0; while :; do n=$((n + 1)); echo "line $n of a log that grows"; sleep 0.01; done'),
		];
		await eventually(async () => (await log(ended)).includes('ready\n') && (await log(writes)).includes('line 3 '));
		fill();
		await expect(start('true')).rejects.toMatchObject({
			code: 'failed',
			message: expect.stringMatching(/^Cannot write .*: disk full\.$/),
		});
		await provider.end(ended);
		expect(await provider.inspect(ended)).toMatchObject({kind: 'ended', requested: true});
		expect(await provider.inspect(writes)).toEqual({kind: 'running'});
		// The last block of its log has room for a few lines.
		await eventually(async () => {
			fill();
			const before = await log(writes);
			await new Promise(resolve => setTimeout(resolve, 50));
			return (await log(writes)) === before;
		});
		free();
		await eventually(async () =>
			/\[sandbox\] \d+ bytes of this log could not be written\nline/.test(await log(writes)),
		);
		const later = await start('echo later');
		await eventually(async () => (await provider.inspect(later)).kind === 'ended');
		expect(await log(later)).toContain('later\n');
		await provider.end(writes);
	},
);

const seed = 20_261_201;

test.skipIf(!canMount)(
	`of a log on a disk that fills and empties, every byte is written or counted, and offsets stay those of the files (seed ${seed})${notRoot}`,
	async () => {
		const random = createRandom(seed);
		const {root, fill, free} = await smallDisk();
		for (let round = 0; round < 20; round += 1) {
			const folder = join(root, `log-${round}`);
			mkdirSync(folder);
			const log = createSupervisorLog({folder, segmentBytes: 1000 + random.below(9000), segments: 1000});
			let given = 0;
			for (let write = 0; write < 60; write += 1) {
				if (random.below(8) === 0) {
					fill();
				} else if (random.below(4) === 0) {
					free();
				}

				const bytes = Buffer.alloc(1 + random.below(9000), 'x');
				given += bytes.length;
				log.write(bytes);
			}

			free();
			log.write(Buffer.from('last'));
			given += 4;
			let text = '';
			for (const name of readdirSync(folder).sort()) {
				expect(Number.parseInt(name, 10)).toBe(text.length);
				text += readFileSync(join(folder, name), 'utf8');
			}

			// The program writes no line breaks, so that all are those of the notes.
			const notes = [...text.matchAll(/\n?\[sandbox\] (\d+) bytes of this log could not be written\n/g)];
			const counted = notes.reduce((sum, [note, bytes]) => sum + Number(bytes) - note.length, text.length);
			expect([counted, text.endsWith('last')]).toEqual([given, true]);
			rmSync(folder, {recursive: true});
		}
	},
);
