import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, onTestFinished, test, vi} from 'vitest';
import {watchDeadline} from '../../../src/server/sandboxes/supervisor/watch-deadline.ts';
import {eventually, localSandboxes, runs, temporaryFolder} from './sandbox.ts';

test('a sandbox that does not stay paused after its deadline is ended', async () => {
	const folder = await temporaryFolder();
	await writeFile(join(folder, 'deadline.json'), JSON.stringify({at: 0, action: 'pause'}));
	vi.useFakeTimers({toFake: ['setInterval', 'clearInterval']});
	onTestFinished(() => void vi.useRealTimers());
	const answers = [...Array(9).fill(false), true];
	const stopped: string[] = [];
	const timer = watchDeadline(
		{folder},
		{
			pause: () => answers.shift() ?? false,
			stop: why => stopped.push(why),
			abandon: () => stopped.push('abandoned'),
		},
	);
	onTestFinished(() => clearInterval(timer));
	vi.advanceTimersByTime(19_000);
	expect([answers.length, stopped]).toEqual([0, []]);
	vi.advanceTimersByTime(1000);
	expect(stopped).toEqual(['it does not stay paused']);
});

test('a sandbox whose processes keep waking each other is ended, so that it does not run on unpaid', async () => {
	const {provider, shell, log} = await localSandboxes();
	const id = await shell('echo pid $$; exec sleep 1000');
	await eventually(async () => (await log(id)).includes('pid'));
	const {kill} = process;
	const spy = vi.spyOn(process, 'kill').mockImplementation((pid, name) => {
		kill.call(process, pid, name);
		return name !== 'SIGSTOP' || kill.call(process, pid, 'SIGCONT');
	});
	onTestFinished(() => spy.mockRestore());
	await provider.pause(id);
	expect(await provider.inspect(id)).toMatchObject({kind: 'ended'});
	expect(await log(id)).toContain('[server] it does not stay paused, so it was ended\n');
	expect(runs(Number(/pid (\d+)/.exec(await log(id))?.[1]))).toBe(false);
});
