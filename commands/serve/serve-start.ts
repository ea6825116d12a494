import {isIPv6} from 'node:net';
import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {describePlace, place} from '../../src/command/serve/serve-place.ts';
import {finishing, recordOf, sayWhatRuns, servedFields} from '../../src/command/serve/server-lines.ts';
import {isLoopback, originOf, parseServerUrl} from '../../src/core/origin.ts';

/** The port that it listens on, by default. */
const defaultPort = 8700;

export default command({
	name: 'start',
	summary: 'Run a server of the platform on this machine',
	args: z.object({
		port: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(65_535)), defaultPort),
		host: z.optional(z.string()),
		...place,
		artifacts: z.optional(z.string()),
		storageLimit: z.optional(z.coerce.number().check(z.gte(0.1), z.lte(1_000_000))),
		publicUrl: z.optional(z.string()),
		keepAlive: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(86_400))),
		unsafeSandboxes: z._default(z.boolean(), false),
		minClient: z.optional(
			z.string().check(z.regex(/^\d+(?:\.\d+){0,2}(?:-[\w.]+)?$/, 'takes a version, such as 0.2.0')),
		),
		demo: z._default(z.boolean(), false),
		logLevel: z._default(z.enum(['info', 'warn', 'error']), 'warn'),
	}),
	describe: {
		port: `port to listen on, ${defaultPort} by default; 0 for a free one`,
		host: 'address to listen on; 127.0.0.1 by default, for this machine only',
		...describePlace,
		artifacts: 'bucket as s3://name?endpoint=https://host; the data folder by default',
		storageLimit: 'maximum GB of spans and artifacts per organization; 10 by default',
		publicUrl: 'URL for browsers and clients, with its path, if a proxy is in front',
		keepAlive: 'seconds that idle connections stay open; 75 by default, more than a load balancer’s 60',
		unsafeSandboxes: 'run tasks without containment if bubblewrap is missing',
		minClient: 'oldest accepted client version, such as 0.2.0; older ones must update',
		demo: 'create a demo organization with sessions, findings and runs',
		logLevel: 'minimum level of JSON log lines on stderr; warn by default',
	},
	examples: ['serve', 'serve --port 0 --json', 'serve --database postgres://service@127.0.0.1/service'],
	where: 'shell',

	async run(
		{port, host, artifacts, storageLimit, publicUrl, keepAlive, minClient, unsafeSandboxes, demo, logLevel, ...where},
		{
			program: {
				local: {env, debug},
			},
			ui: {interact},
			signal,
		},
	) {
		if (host !== undefined && !isLoopback(parseServerUrl(`http://${isIPv6(host) ? `[${host}]` : host}`))) {
			interact.say(`Anyone on the network can reach ${host} and read plain HTTP. Put a proxy with TLS in front.`);
		}

		const {serve} = await import('../../src/server/run/serve.ts');
		const served = await serve({
			env,
			...where,
			host,
			port,
			artifacts,
			storageLimit: storageLimit === undefined ? undefined : Math.round(storageLimit * 1e9),
			publicUrl: publicUrl && originOf(publicUrl),
			keepAliveMs: keepAlive === undefined ? undefined : keepAlive * 1000,
			unsafeSandboxes,
			minimumClient: minClient,
			demo,
			logLevel,
			writeLog: line => interact.log?.(line),
			debug,
			signal,
			onFinishing: requests => interact.say(finishing(requests)),
		});
		const {url, demo: made} = served;
		const data = {url, ...(made && recordOf(made))};
		return {
			kind: 'running',
			shown: {
				kind: 'record',
				title: `Listening on ${url}`,
				fields: servedFields(served, publicUrl ? originOf(publicUrl) : url),
				data,
			},
			data,
			ended: served.ended.then(sandboxes => sayWhatRuns(interact.say, sandboxes)),
		};
	},
});
