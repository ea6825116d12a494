import {spawnSync} from 'node:child_process';
import process from 'node:process';

// Runs sandboxes on a simulated engine and three servers on one PostgreSQL, of which one is killed, and prints what that took:
// `node test/bench/sandboxes.mjs [sandboxes]`. It is the test with as many as are asked for, in as much time as they take.

const [count = '1000'] = process.argv.slice(2);
const limits = ['--testTimeout=0', '--expect.poll.timeout=3600000'];
const words = [
	'vitest',
	'run',
	'--config',
	'.vitest.config.ts',
	...limits,
	'test/server/postgres-many-sandboxes.test.ts',
];
const {status} = spawnSync('npx', words, {stdio: 'inherit', env: {...process.env, SERVICE_BENCH_SANDBOXES: count}});
process.exitCode = status ?? 1;
