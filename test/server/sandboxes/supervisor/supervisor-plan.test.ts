import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {mkdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, onTestFinished, test} from 'vitest';
import {findContainment} from '../../../../src/containment/containment.ts';
import type {SupervisorPlan} from '../../../../src/server/sandboxes/supervisor/supervisor-plan.ts';
import {plainPath, temporaryFolder} from '../sandbox.ts';
import {supervisor} from '../supervisor.ts';

/** Writes a line once the program waits for its standard input. */
const tellWaiting = `import {writeSync} from 'node:fs';
const timer = setInterval(() => {
	if (process.getActiveResourcesInfo().includes('PipeWrap')) {
		clearInterval(timer);
		writeSync(1, 'waiting');
	}
}, 5);`;

test('a supervisor waits for its plan, however late and in how many pieces it comes', async () => {
	const folder = await temporaryFolder();
	await mkdir(join(folder, 'log'));
	const plan: SupervisorPlan = {
		...{id: randomUUID(), folder, cwd: folder, environment: {}, writable: [folder], hidden: [], ports: []},
		...{steps: [{name: 'command', command: [process.execPath, '-e', '']}], builds: 0, graceMs: 300, mark: 1},
		...{containment: await findContainment(plainPath, []), segmentBytes: 1000, segments: 2},
		limits: {
			...{memoryBytes: 1e9, processes: 4096, cpuSeconds: 60},
			...{fileBytes: 1e6, diskBytes: 1e8, logBytes: 1e4},
		},
	};
	const preload = `data:text/javascript,${encodeURIComponent(tellWaiting)}`;
	const child = spawn(process.execPath, ['--import', preload, fileURLToPath(supervisor)], {
		env: {},
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	const ended = once(child, 'exit');
	await Promise.race([once(child.stdout, 'data'), ended]);
	const text = JSON.stringify(plan);
	child.stdin.write(text.slice(0, 40));
	child.stdin.end(text.slice(40));
	expect(await ended).toEqual([0, null]);
	const status = JSON.parse(await readFile(join(folder, 'status.json'), 'utf8'));
	expect(status).toMatchObject({phase: 'ended', exit: {step: 'command', status: 0}});
});
