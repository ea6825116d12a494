import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {freePort} from '../free-port.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {blockOf, shell, withBlocks} from './operate-page.ts';
import {program} from './program.ts';

test('the page has blocks in these sections alone', () => {
	expect(withBlocks).toEqual(['Deploy', 'Log in with a provider', 'Watch', 'Back up', 'Restore', 'Upgrade']);
});

test('a server is deployed, watched, backed up, restored and upgraded with the lines of the page', {
	timeout: 300_000,
}, async () => {
	const home = temporaryFolder();
	const [port, metrics] = [String(await freePort()), String(await freePort())];
	const env = {SERVICE_SERVE_PORT: port, SERVICE_SERVE_METRICS: `127.0.0.1:${metrics}`};
	const {stdout} = await shell('service serve init --json', home);
	const {api_key: key} = JSON.parse(stdout);
	await shell(blockOf('Deploy'), home, env);
	for (const name of ['service-server.service', 'compose.yaml', 'service.yaml', 'service.conf', 'Caddyfile']) {
		expect(readFileSync(join(home, name), 'utf8')).toContain(port);
	}

	/** Runs lines while the server serves. */
	const serving = (lines: string) =>
		shell(
			`service() { exec "${process.execPath}" "${program}" "$@"; }
			rm -f started
			(service serve --json >started 2>log) & server=$!
			trap 'kill $server; wait $server || true' EXIT
			until [ -s started ]; do kill -0 $server; sleep 0.05; done
			${lines}`,
			home,
			env,
		);
	const watched = await serving(blockOf('Watch').replaceAll(':8700', `:${port}`).replaceAll(':9464', `:${metrics}`));
	expect(watched.stdout).toContain('{"status":"ok","database":"ok","engine":"ok"}');
	expect(watched.stdout).toContain('service_database_up 1');

	await shell(blockOf('Back up'), home);
	expect(existsSync(join(home, 'backup', 'server', 'seal.key'))).toBe(true);
	writeFileSync(join(home, '.service', 'server', 'service.db'), 'lost');
	await expect(shell('service serve check', home, env)).rejects.toMatchObject({code: 1});
	await shell(blockOf('Restore'), home, env);
	const asked = await serving(
		`curl -fsS -H "Authorization: Bearer ${key}" http://127.0.0.1:${port}/api/v1/user/preferences`,
	);
	expect(JSON.parse(asked.stdout)).toBeDefined();
	expect((await shell(blockOf('Upgrade'), home, env)).stdout).toContain('Nothing is broken.');
});
