import {expect, inject, test} from 'vitest';
import {blockOf, shell} from '../e2e/operate-page.ts';
import {freePort} from '../free-port.ts';
import {temporaryFolder} from '../storage/temporary.ts';

test('a PostgreSQL is dumped and restored with the lines of the page', async () => {
	const home = temporaryFolder();
	const socket = {PGHOST: inject('postgres'), PGUSER: 'service'};
	const suffix = String(await freePort());
	const named = (lines: string) =>
		lines.replace(/\bservice_restored\b/g, `restored_${suffix}`).replace(/(?<=dump )service$/m, `service_${suffix}`);
	const env = {
		...socket,
		SERVICE_SERVE_DATABASE: `postgres:///service_${suffix}?host=${encodeURIComponent(socket.PGHOST)}&user=service`,
	};
	await shell(`createdb service_${suffix}\nservice serve init --email ada@acme.example >made`, home, env);
	await shell(
		`${blockOf('Back up').split('\n')[0]}\n${named(blockOf('Back up', 1))}\n${named(blockOf('Restore', 1))}`,
		home,
		env,
	);
	const {stdout} = await shell(`psql -At -d restored_${suffix} -c 'select email from users'`, home, env);
	expect(stdout.trim()).toBe('ada@acme.example');
});
