import {randomUUID} from 'node:crypto';
import {open} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, onTestFinished, test, vi} from 'vitest';
import type {Recorded} from '../../src/core/session/event.ts';
import {createRandom} from '../faults/fault.ts';
import {attachTerminal, savedRecords} from './attached-terminal.ts';
import {openHost} from './open-host.ts';

const seed = 33;
const acts = 24;

/** Lets every sync of a file take longer, as a busy disk does; what is written meanwhile waits for it. */
async function slowDown(random: ReturnType<typeof createRandom>): Promise<void> {
	const handle = await open(import.meta.filename);
	const files = Object.getPrototypeOf(handle);
	const spy = vi.spyOn(files, 'datasync').mockImplementation(async () => {
		await sleep(random.below(60));
	});
	onTestFinished(async () => {
		spy.mockRestore();
		await handle.close();
	});
}

test(`what a host has answered is in the journal, whatever the disk takes (${acts} acts, seed ${seed})`, async () => {
	const random = createRandom(seed);
	const {connect, env} = await openHost();
	const client = await connect();
	const {session} = await client.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	const {remote} = await attachTerminal(client, session);
	await remote.conversation.send('Begin.');
	await slowDown(random);
	const drawn: Recorded[] = [];
	remote.onRecord(record => void drawn.push(record));
	const kinds = [
		async (act: number) => void (await remote.conversation.send(`Message ${act}.`)),
		async (act: number) => void (await remote.act('shell', {command: `echo ${act}`})),
		async (act: number) => void (await remote.act('rename', {title: `Title ${act}`})),
		async (act: number) => void (await remote.act('pin', {id: `p${act}`, pinned: true})),
	];
	for (let act = 0; act < acts; act += 1) {
		await random.pick(kinds)(act);
		const before = drawn.length;
		const saved = await savedRecords(env, session);
		expect(saved.slice(-1)[0]?.seq, `act ${act}`).toBeGreaterThanOrEqual(drawn[before - 1]?.seq ?? 0);
	}
});
