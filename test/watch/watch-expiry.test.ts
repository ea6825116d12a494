import {expect, onTestFinished, test} from 'vitest';
import {createNotifier} from '../../src/watch/notifier.ts';
import {createSandboxExpiry} from '../../src/watch/watch-expiry.ts';
import {jumpingClock} from '../logs/tail-script.ts';
import {scripted, server} from '../store/scripted-conversation.ts';

const minute = 60_000;
const environment = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';

/** `late` is how many milliseconds the machine sleeps after ten minutes. */
function following(late = 0) {
	const time = jumpingClock();
	const clock = {...time, now: () => time.now() + (time.now() < 10 * minute ? 0 : late)};
	const {store, conversation, records} = scripted([]);
	const expiry = createSandboxExpiry({store, notifier: createNotifier(store, conversation.notice), clock});
	onTestFinished(expiry.close);
	const told = () => records().flatMap(({event}) => (event.type === 'notice' ? [event.text] : []));
	return {expiry, clock, told, sandboxes: () => store.getState().sandboxes.map(one => one.task), store};
}

test('a sandbox is announced once, five minutes before its end, and removed at its end', async () => {
	const {expiry, told, sandboxes, clock, store} = following();
	expiry.follow({environment, server, task: 'long', expiresAt: 60 * minute});
	expiry.follow({environment, server, task: 'web\u001B[2J', expiresAt: 30 * minute});
	expect(sandboxes()).toEqual(['web\u001B[2J', 'long']);
	await expect.poll(() => sandboxes()).toEqual([]);
	expect([told(), clock.now()]).toEqual([
		[
			'Sandbox 0b5e0a1c (web␛[2J) ends in 5 minutes, with all its files.',
			'Sandbox 0b5e0a1c (long) ends in 5 minutes, with all its files.',
		],
		60 * minute,
	]);
	expect(store.getState().alert).toEqual({text: 'A sandbox ends in 5 minutes.'});
});

test.each([
	[46, 'ends in 4 minutes, with all its files.', 'A sandbox ends in 4 minutes.'],
	[49.5, 'ends in 1 minute, with all its files.', 'A sandbox ends in 1 minute.'],
	[60, 'ended. Its files are gone.', 'A sandbox ended.'],
])('after %d minutes of sleep the notice has the current time', async (slept, text, sign) => {
	const {expiry, told, sandboxes, store} = following(slept * minute);
	expiry.follow({environment, server, task: 'web', expiresAt: 60 * minute});
	await expect.poll(() => sandboxes()).toEqual([]);
	expect([told(), store.getState().alert]).toEqual([[`Sandbox 0b5e0a1c (web) ${text}`], {text: sign}]);
});

test('a sandbox with less than five minutes left from the start is not announced', async () => {
	const {expiry, told, sandboxes} = following();
	expiry.follow({environment, server, task: 'short', expiresAt: 4 * minute});
	expiry.follow({environment, server, task: 'over', expiresAt: -1});
	await expect.poll(() => sandboxes()).toEqual([]);
	expect(told()).toEqual([]);
});

test('a sandbox that was stopped is removed at once and not announced', async () => {
	const {expiry, told, sandboxes} = following();
	expiry.follow({environment, server, task: 'stopped', expiresAt: 30 * minute});
	expiry.follow({environment: `1${environment.slice(1)}`, server, task: 'other', expiresAt: 60 * minute});
	expiry.end(environment);
	expect(sandboxes()).toEqual(['other']);
	await expect.poll(() => sandboxes()).toEqual([]);
	expect(told()).toEqual([expect.stringContaining('(other) ends in 5 minutes')]);
});

test('nothing is announced after close', async () => {
	const {expiry, told, sandboxes} = following();
	expiry.follow({environment, server, task: 'web', expiresAt: 30 * minute});
	expiry.close();
	await new Promise(resolve => setTimeout(resolve, 20));
	expect([told(), sandboxes()]).toEqual([[], ['web']]);
});
