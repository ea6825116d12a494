import {expect, test} from 'vitest';
import {findTaskBubblewrap} from '../../src/containment/containment.ts';
import {eventually, localSandboxes, plainPath} from '../server/sandboxes/sandbox.ts';

const path = process.env['PATH'] ?? '';
const bubblewrap = await findTaskBubblewrap(path, []);
const ways = [['without bubblewrap', plainPath], ...(bubblewrap ? [['in bubblewrap', path] as const] : [])] as const;

// For a user other than root the kernel's limit applies first, which may count all threads of the user.
test.each(ways)('[15] %s a fork bomb is ended', async (_, way) => {
	const {provider, script, log} = await localSandboxes({path: way});
	const command = ['sh', '-c', 'i=0; while [ $i -lt 80 ]; do sleep 60 & i=$((i + 1)); done; wait'];
	const id = await script('', {command: {name: 'command', command}, limits: {processes: 40}});
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	expect(await log(id)).toMatch(/\[sandbox\] it has more than 40 processes\n|fork/);
});
