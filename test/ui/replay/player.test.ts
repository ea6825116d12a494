import {expect, test} from 'vitest';
import type {Recorded} from '../../../src/core/session/event.ts';
import {createPlayer} from '../../../src/ui/start-replay.ts';
import {done, said, start, toRecords, user} from '../../core/records.ts';

/** Records at these milliseconds. */
function at(...times: readonly number[]): readonly Recorded[] {
	const events = [start, ...times.slice(1).map(time => said(`at ${time} `))];
	return toRecords(events).map((record, index) => ({...record, at: new Date(times[index] ?? 0).toISOString()}));
}

/** A player whose clock moves only while it waits, as far as `during` lets it. */
function playing(records: readonly Recorded[], speed = 1, during: (waitMs: number) => number = waitMs => waitMs) {
	const played: Array<readonly [time: number, seq: number]> = [];
	const waits: number[] = [];
	let time = 0;
	const player = createPlayer({
		records,
		speed,
		apply: each => played.push(...each.map(({seq}) => [Math.round(time), seq] as const)),
		now: () => time,
		async wait(milliseconds) {
			waits.push(Math.round(milliseconds));
			time += during(milliseconds);
		},
	});
	return {player, played, waits};
}

test('events are played at their recorded pace, with long gaps cut to two seconds', async () => {
	const {player, played} = playing(at(0, 500, 1500, 3_600_000, 3_600_100));
	await player.play();
	expect(played).toEqual([
		[0, 0],
		[500, 1],
		[1500, 2],
		[3500, 3],
		[3600, 4],
	]);
});

test('a speed divides the pauses, and tokens of one frame are played together', async () => {
	const {player, played} = playing(at(0, 1000, 3000), 4);
	await player.play();
	expect(played).toEqual([
		[0, 0],
		[250, 1],
		[750, 2],
	]);

	const burst = playing(at(...Array.from({length: 100}, (_, index) => index)));
	await burst.player.play();
	expect(burst.played).toHaveLength(100);
	expect(burst.waits.length).toBeLessThan(10);
});

test('a clock that was set back is no pause', async () => {
	const {player, played} = playing(at(5000, 1000, 1100));
	await player.play();
	expect(played.map(([time]) => time)).toEqual([0, 0, 100]);
});

test('a pause stops the time, and a change of speed counts from there on', async () => {
	let step = 0;
	const {player, played, waits} = playing(at(0, 1000), 1, waitMs => {
		step++;
		if (step === 1) {
			player.togglePause();
			return 400;
		}

		if (step === 2) {
			player.togglePause();
			player.changeSpeed(2);
			return 10_000;
		}

		return waitMs;
	});
	await player.play();
	expect(waits).toEqual([1000, 60_000, 300]);
	expect(played).toEqual([
		[0, 0],
		[10_700, 1],
	]);
});

test('the speed stays within its limits, and a stop plays nothing more', async () => {
	const {player, played} = playing(at(0, 1000, 2000), 1, () => {
		player.stop();
		return 1;
	});
	player.changeSpeed(1e9);
	expect(player.state().speed).toBe(100);
	player.changeSpeed(1e-9);
	expect(player.state().speed).toBe(0.1);
	await player.play();
	expect(played).toEqual([[0, 0]]);
	await createPlayer({records: [], speed: 1, apply: () => undefined, now: () => 0}).play();
});

test('a stop during a real wait ends it', async () => {
	const records = toRecords([start, user('x'), done]).map((record, seq) => ({
		...record,
		at: new Date(seq * 60_000).toISOString(),
	}));
	const player = createPlayer({records, speed: 0.1, apply: () => undefined, now: () => performance.now()});
	const ended = player.play();
	setImmediate(player.stop);
	await ended;
	expect(player.state().played).toBe(1);
});
