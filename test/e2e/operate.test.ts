import {expect, test} from 'vitest';
import {formsOf} from '../server/pages/browser.ts';
import {linesOf, withBlocks} from './operate-page.ts';
import {openMachine, whyNoMachine} from './operator-machine.ts';

const reason = whyNoMachine === undefined ? '' : ` (skipped: ${whyNoMachine})`;
const site = 'https://agents.example.com';

test('the page has blocks in these sections alone', () => {
	expect(withBlocks).toEqual([
		...['Deploy', 'Log in with a provider', 'Administer', 'Watch', 'Back up', 'Restore', 'Upgrade'],
	]);
});

/** The commands at the head of a printed file; those that wait for typed text are left out. */
const headOf = (file: string) =>
	[...file.matchAll(/^# {3}(.*)$/gm)].map(([, line = '']) => line).filter(line => !line.includes('# type it'));

/** The rows of a dump, whose tables come in an order of its own. */
const rowsOf = (dump: string) =>
	[...dump.matchAll(/^COPY [\s\S]*?\n\\\.$/gm)]
		.map(([table]) => table)
		.toSorted()
		.join('\n');

/** An OTLP request with a session of one span. */
const requestOf = (trace: string, text: string) => ({
	resourceSpans: [
		{
			scopeSpans: [
				{
					spans: [
						{
							...{traceId: trace.padStart(32, '0'), spanId: trace.padStart(16, '0'), name: 'chat', kind: 1},
							...{startTimeUnixNano: '1772359200000000000', endTimeUnixNano: '1772359201000000000'},
							attributes: Object.entries({'gen_ai.conversation.id': `conversation-${trace}`, note: text}).map(
								([key, stringValue]) => ({
									...{key, value: {stringValue}},
								}),
							),
						},
					],
				},
			],
		},
	],
});

test.skipIf(whyNoMachine !== undefined)(`an hour of an operator is typed as the page prints it${reason}`, async () => {
	const machine = await openMachine();
	const {type, typeAll} = machine;
	const status = (path: string, more = '') =>
		type(`curl -s -o answer -D headers -w '%{http_code}' ${more} "${site}${path}"`);
	const push = async (key: string, trace: string, text = 'small') => {
		machine.write('push.json', JSON.stringify(requestOf(trace, text)));
		const code = await status(
			`/api/v1/org/acme/otel/traces`,
			`-H 'authorization: Bearer ${key}' -H 'content-type: application/json' --data-binary @push.json`,
		);
		return `${code} ${await type('cat answer')}`;
	};

	// Deploy: the files are printed, installed by their own heads, and serve.
	await typeAll(linesOf('Deploy'));
	const unit = await type('cat /etc/systemd/system/service-server.service');
	expect(unit).not.toContain('postgres://');
	await typeAll(headOf(unit));
	await typeAll(headOf(await type('cat /etc/nginx/conf.d/service.conf')));
	await type('until curl -fsS http://127.0.0.1:8700/readyz; do sleep 0.2; done 2> /dev/null');
	const deployed = await typeAll(linesOf('Deploy', 1));
	expect(deployed).toContain('A server already runs on 127.0.0.1:8700.');
	expect(deployed).toContain('Nothing is broken.');
	const key = /svc_[\w-]{20,}/.exec(deployed)?.[0] ?? '';
	expect(await type('stat -c %U /var/lib/service/server')).toBe('service');
	expect(await type('find /var/lib/service ! -user service')).toBe('');
	expect(await type(`curl -s -o /dev/null -w '%{redirect_url}' http://agents.example.com/readyz`)).toBe(
		`${site}/readyz`,
	);

	// Administer: the invited join by their link, the suspended are out at once, a rate is kept, and each act is written down.
	const [login = '', ...acts] = linesOf('Administer');
	await type(login.replace('svc_…', key));
	const printed = new Map<string, string>();
	let idaKey = '';
	for (const line of acts) {
		const command = line.split(/ #|--reason/)[0]?.trim() ?? '';
		printed.set(command, await type(line));
		if (command.startsWith('service member add')) {
			idaKey = /svc_[\w-]{20,}/.exec(await type('service serve key ida@acme.example'))?.[0] ?? '';
		}

		const isIn = await status('/api/v1/user/preferences', `-H 'authorization: Bearer ${idaKey}'`);
		expect([command, isIn]).toEqual([
			command,
			idaKey === '' || command.startsWith('service user suspend') ? '401' : '200',
		]);
	}

	const link = /https:\S+/.exec(printed.get('service member invite grace@acme.example') ?? '')?.[0] ?? '';
	expect(link.startsWith(`${site}/`)).toBe(true);
	const path = new URL(link).pathname;
	const form = formsOf(await type(`curl -fsS -c jar ${link}`)).find(({target}) => target === path);
	const chosen = 'correct horse battery';
	const fields = Object.entries({...form?.hidden, password: chosen, repeated: chosen});
	const joined = await type(
		`curl -fsSL -b jar -c jar -H 'origin: ${site}' ${fields.map(([name, value]) => `--data-urlencode '${name}=${value}'`).join(' ')} ${link}`,
	);
	expect(joined).toContain('You belong to acme');
	const members = JSON.parse(await type('service member list --json'));
	expect(
		Object.fromEntries((members.items ?? members).map(({email, role}: Record<string, string>) => [email, role])),
	).toEqual({'ada@acme.example': 'owner', 'grace@acme.example': 'member', 'ida@acme.example': 'admin'});

	const limited = /svc_[\w-]{20,}/.exec(printed.get('service api-key create ci --rate 600') ?? '')?.[0] ?? '';
	const statuses = await type(
		`curl -s -o /dev/null -w '%{http_code}\\n' -H 'authorization: Bearer ${limited}' '${site}/api/v1/user/preferences#[1-1300]' | sort | uniq -c`,
	);
	expect(statuses).toMatch(/\b429$/m);
	expect(Number(/(\d+) 200/.exec(statuses)?.[1])).toBeGreaterThanOrEqual(600);
	expect(printed.get('service org audit')).toContain('ida@acme.example');
	const audit = await type('service org audit --whole-server');
	for (const act of ['suspend', 'reinstate', 'invit']) {
		expect(audit).toContain(act);
	}

	// Limits: a full organization gets an answer that exporters retry.
	expect(await push(key, '1')).toBe('200 {}');
	await type('service serve limits --org acme --storage 0.00001');
	expect(await push(key, '2')).toBe('200 {}');
	expect(await push(key, '3', 'x'.repeat(9500))).toMatch(/^429 /);
	expect(await type('cat headers')).toMatch(/^retry-after: \d+/im);
	await typeAll(linesOf('Administer', 1));
	expect(await push(key, '3', 'x'.repeat(9500))).toBe('200 {}');
	expect(unit).toContain('Environment=SERVICE_SERVE_RETENTION=spans=365,logs=7');

	// Watch, also while it drains.
	const watched = await typeAll(linesOf('Watch'));
	expect(watched).toContain('{"status":"ok","database":"ok","engine":"ok"}');
	expect(watched).toContain('service_database_up 1');
	expect(watched).toMatch(/service_http_requests_refused_total\S* [1-9]/);
	await type('systemctl restart service-server & restarting=$!');
	await type('until curl -s http://127.0.0.1:8700/readyz | grep -F draining; do sleep 0.05; done');
	expect(await status('/api/v1/user/preferences', `-H 'authorization: Bearer ${key}'`)).toBe('200');
	await type('wait $restarting');
	await type('until curl -fsS http://127.0.0.1:8700/readyz; do sleep 0.2; done 2> /dev/null');

	// Back up, and lose everything. What was written between is gone with it.
	await typeAll(linesOf('Back up'));
	const saved = await type('runuser -u postgres -- pg_restore --data-only --file=- < backup/service.dump');
	expect(rowsOf(saved)).toContain('grace@acme.example');
	const sessions = await type('service session list --json');
	expect(JSON.parse(sessions)).toMatchObject({total: 3});
	expect(await push(key, '4')).toBe('200 {}');

	// Upgrade a database of the version before.
	await type('systemctl stop service-server');
	await type(
		`runuser -u postgres -- psql --quiet service -c "alter table organizations drop column deleting_at; delete from migrations where name = '039-deleted-organizations'"`,
	);
	const upgraded = await typeAll(linesOf('Upgrade').slice(0, -1));
	expect(upgraded).toMatch(/^039-deleted-organizations /m);
	expect(upgraded).toContain('The database is up to date now.');
	expect(upgraded).toContain('Nothing is broken.');

	// Restore into a new database and a new folder, and compare.
	await type('systemctl start service-server');
	for (const line of linesOf('Restore')) {
		await type(line);
		if (line.includes('pg_restore')) {
			const restored = await type('runuser -u postgres -- pg_dump --data-only service_restored');
			expect(rowsOf(restored)).toBe(rowsOf(saved));
			await type('runuser -u postgres -- dropdb --force service');
			await type('diff -r backup/server /var/lib/service/server');
		}
	}

	await type('until curl -fsS http://127.0.0.1:8700/readyz; do sleep 0.2; done 2> /dev/null');
	expect(await type('service session list --json')).toBe(sessions);
	expect(await push(key, '4')).toBe('200 {}');
	// A restore within 30 s of its dump finds the lease of the machine held, until that is over.
	const faults = await type(`grep '"level":"error"' /var/log/service.log | grep -v 'machine id in use' || true`);
	expect(faults).toBe('');
});
