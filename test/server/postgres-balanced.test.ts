import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {folderWith} from '../e2e/program.ts';
import {freePort} from '../free-port.ts';
import {emptyPlace} from './database/engine.ts';
import {nginx, startNginx} from './nginx.ts';
import {initializeProgram, runProgram, serveProgram} from './program.ts';

const count = 30;
const reason = nginx ? '' : ' (skipped: nginx is not installed)';

/** A data folder with a task that is ready at once. */
function folderWithTask(): string {
	const folder = folderWith();
	const task = join(folder, 'tasks', 'idle');
	mkdirSync(task, {recursive: true});
	writeFileSync(join(folder, '.service-data'), '');
	const definition = {name: 'idle', version: '1.0.0', public: true, command: ['sleep', '1000']};
	writeFileSync(join(task, 'task.yaml'), JSON.stringify(definition));
	return folder;
}

/** Two processes of the shipped program on one database, behind nginx. */
async function balanced() {
	const place = await emptyPlace();
	const database = place.engine === 'postgres' ? place.url : '';
	const key = await initializeProgram(database);
	await runProgram(['limits', '--org', 'acme', '--capacity', String(count), '--data', folderWith()], database);
	const port = await freePort();
	const publicUrl = `http://127.0.0.1:${port}`;
	const servers = await Promise.all(
		[1, 2].map(() =>
			serveProgram(database, {data: folderWithTask(), flags: ['--public-url', publicUrl, '--unsafe-sandboxes']}),
		),
	);
	const upstream = servers.map(url => `server ${new URL(url).host};`).join(' ');
	await startNginx(
		`upstream both { ${upstream} keepalive 16; }
		server {
			listen 127.0.0.1:${port};
			location / {
				proxy_pass http://both;
				proxy_http_version 1.1;
				proxy_set_header Connection "";
				proxy_set_header Host $http_host;
				proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
			}
		}`,
		port,
	);
	const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
	const ask = async (base: string, path: string, method = 'GET', body?: unknown) => {
		const response = await fetch(`${base}/api/v1/org/acme/ws/main/environments${path}`, {
			...{method, headers: {...headers, host: new URL(publicUrl).host}},
			...(body !== undefined && {body: JSON.stringify(body)}),
		});
		return {status: response.status, json: await response.json()};
	};
	return {publicUrl, servers, ask};
}

test.skipIf(!nginx)(
	`${count} environments at once through a balancer are ready, and nothing is a 5xx${reason}`,
	async () => {
		const {publicUrl, servers, ask} = await balanced();
		const statuses: number[] = [];
		const through = async (...request: readonly [path: string, method?: string, body?: unknown]) => {
			const answer = await ask(publicUrl, ...request);
			statuses.push(answer.status);
			return answer;
		};
		const ids = new Set<string>();
		onTestFinished(async () => {
			// A sandbox outlives its server, which alone can stop it.
			for (const id of ids) {
				const isStopped = (await ask(servers[0] ?? '', `/${id}/stop`, 'POST')).status === 200;
				await (isStopped || ask(servers[1] ?? '', `/${id}/stop`, 'POST'));
			}
		});
		const made = await Promise.all(
			Array.from({length: count}, async () => {
				const answer = await through('', 'POST', {task_ref: 'idle', timeout_sec: 600});
				if (answer.status === 200) {
					ids.add(answer.json.id);
				}

				return answer;
			}),
		);
		expect(made.map(({status, json}) => (status === 200 ? status : json))).toEqual(Array(count).fill(200));
		const refused = await through('', 'POST', {task_ref: 'idle'});
		expect([refused.status, refused.json.type]).toEqual([409, 'org_sandbox_capacity_exceeded_error']);
		await expect
			.poll(
				async () => {
					const states = await Promise.all([...ids].map(async id => (await through(`/${id}`)).json.state));
					return states.filter(state => state === 'ready').length;
				},
				{interval: 50},
			)
			.toBe(count);
		expect(statuses.filter(status => status >= 500)).toEqual([]);
	},
);
