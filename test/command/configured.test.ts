import fc from 'fast-check';
import {expect, test} from 'vitest';
import serveNoun from '../../commands/serve.ts';
import {fieldsOf, flagOf} from '../../src/command/arguments.ts';
import {nameOrigins, readConfigured} from '../../src/command/configured.ts';
import type {Command, Noun} from '../../src/command/context.ts';
import {AppError} from '../../src/core/error.ts';

const {verbs} = serveNoun as Noun;
const verb = (name: string) => verbs.find(each => each.name === name) as Command;
const start = verb('start');

type Given = {
	readonly flags?: Readonly<Record<string, unknown>>;
	readonly env?: Readonly<Record<string, string>>;
	readonly files?: Readonly<Record<string, string>>;
	readonly command?: Command;
};

/** Reads flags, variables and files as `serve` does. */
function read({flags = {}, env = {}, files = {}, command = start}: Given) {
	return readConfigured(command, flags, {
		prefix: 'SERVICE_SERVE_',
		main: start,
		env,
		read(path) {
			const text = files[path];
			if (text === undefined) {
				throw new AppError('failed', `Cannot read ${path}: no such file or folder.`);
			}

			return text;
		},
	});
}

const samples: Readonly<Record<string, string>> = {
	serviceDomain: 'sandboxes.example.com',
	minClient: '0.2.0',
	logLevel: 'info',
	oidcRole: 'admin',
};

test('every flag of serve is a variable and a key, and a flag wins over a variable, that over the file', async () => {
	const fields = fieldsOf(start.args).filter(({name}) => name !== 'config');
	expect(fields.length).toBeGreaterThan(20);
	for (const {name, type, multiple} of fields) {
		const sample = samples[name] ?? (type === 'boolean' ? 'true' : '7');
		const value = type === 'boolean' ? true : multiple ? [sample] : sample;
		const env = {[`SERVICE_SERVE_${flagOf(name).replaceAll('-', '_').toUpperCase()}`]: sample};
		const files = {'a.yaml': `${flagOf(name)}: ${sample}\n`};
		expect((await read({env})).values).toEqual({[name]: value});
		expect((await read({flags: {config: 'a.yaml'}, files})).values).toEqual({config: 'a.yaml', [name]: value});
		expect((await read({flags: {[name]: 'flag'}, env})).values).toEqual({[name]: 'flag'});
		const other = type === 'boolean' ? 'false' : sample;
		const both = await read({flags: {config: 'a.yaml'}, env: {[Object.keys(env)[0] ?? '']: other}, files});
		expect(both.origins.get(name)).toBe(Object.keys(env)[0]);
	}
});

test('a verb gets the flags that it shares with serve, and no others', async () => {
	const files = {'a.yaml': 'port: 8701\ndata: /srv/service\ndatabase: postgres://db/service\n'};
	const {values} = await read({command: verb('credits'), env: {SERVICE_SERVE_CONFIG: 'a.yaml'}, files});
	expect(values).toEqual({config: 'a.yaml', data: '/srv/service', database: 'postgres://db/service'});
});

test('a variable with _FILE reads a secret from a file, without the line break at its end', async () => {
	const {values, origins} = await read({
		env: {SERVICE_SERVE_DATABASE_FILE: '/run/secrets/db'},
		files: {'/run/secrets/db': 'postgres://u:p@db/service\n'},
	});
	expect(values).toEqual({database: 'postgres://u:p@db/service'});
	expect(origins.get('database')).toBe('SERVICE_SERVE_DATABASE_FILE');
});

test.each([
	[{env: {SERVICE_SERVE_PROT: '1'}}, 'Unknown variable SERVICE_SERVE_PROT. Did you mean SERVICE_SERVE_PORT?'],
	[{env: {SERVICE_SERVE_PORT: 'tcp://10.0.0.1:80'}}, 'SERVICE_SERVE_PORT must be a number.'],
	[{env: {SERVICE_SERVE_DEMO: 'perhaps'}}, 'SERVICE_SERVE_DEMO must be true or false, not “perhaps”.'],
	[
		{env: {SERVICE_SERVE_DATABASE: 'a', SERVICE_SERVE_DATABASE_FILE: 'b'}, files: {b: 'c'}},
		'SERVICE_SERVE_DATABASE and SERVICE_SERVE_DATABASE_FILE are both set.',
	],
	[{env: {SERVICE_SERVE_CONFIG: 'gone.yaml'}}, 'Cannot read gone.yaml: no such file or folder.'],
	[
		{yaml: '# ours\nport: 8700\nlog-levle: info\n'},
		'a.yaml, line 3: Unknown key “log-levle”. Did you mean “log-level”?',
	],
	[{yaml: 'port: many\n'}, '“port” in line 1 of a.yaml must be a number.'],
	[{yaml: 'host: 127.0.0.1\nlog-level: loud\n'}, '“log-level” in line 2 of a.yaml must be one of info, warn, error.'],
	[{yaml: 'port: 1\nport: 2\n'}, 'a.yaml, line 2: Map keys must be unique.'],
	[{yaml: 'host: [a, b]\n'}, 'a.yaml, line 1: “host” needs one value.'],
	[{yaml: 'host:\n'}, 'a.yaml, line 1: “host” needs one value.'],
	[{yaml: '- port\n'}, 'a.yaml must have lines such as “port: 8700”.'],
	[{yaml: 'config: b.yaml\n'}, 'a.yaml, line 1: Unknown key “config”.'],
])('%j is refused with its source', async ({yaml, ...given}: Given & {yaml?: string}, message) => {
	const withFile = yaml === undefined ? given : {flags: {config: 'a.yaml'}, files: {'a.yaml': yaml}};
	await expect(read(withFile)).rejects.toMatchObject({message});
});

test('an error about a flag says where its value comes from', async () => {
	const {origins} = await read({env: {SERVICE_SERVE_POOL: '20'}});
	const error = nameOrigins(new AppError('usage', '--pool is for PostgreSQL.', {hint: 'Leave out --pool.'}), origins);
	expect(error).toMatchObject({hint: 'Leave out --pool. --pool is set by SERVICE_SERVE_POOL.'});
	const other = new AppError('usage', '--pool-size is unknown.');
	expect(nameOrigins(other, origins)).toBe(other);
});

test('any text is a configuration or an error that names a line of it', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.oneof(
				fc.string(),
				fc.lorem().map(text => `port: 1\n${text}`),
			),
			async yaml => {
				const result = await read({flags: {config: 'a.yaml'}, files: {'a.yaml': yaml}}).catch(error => error);
				if (result instanceof Error) {
					expect(result).toBeInstanceOf(AppError);
					expect(result.message).toContain('a.yaml');
				}
			},
		),
		{numRuns: 200},
	);
});
