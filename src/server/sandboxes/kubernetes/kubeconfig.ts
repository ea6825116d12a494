import {readFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {delimiter, dirname, join, resolve} from 'node:path';
import {parse} from 'yaml';
import * as z from 'zod/mini';
import type {Environment} from '../../../core/environment.ts';
import {AppError} from '../../../core/error.ts';
import {isLoopback} from '../../../core/origin.ts';
import {type Secret, secret} from '../../../core/secrets/secret.ts';
import {errnoOf, explainFileError} from '../../../storage/file-error.ts';

/** A program that says who this server is (client.authentication.k8s.io). */
export type CredentialProgram = {
	readonly apiVersion: string;
	readonly command: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	/** What it is told about the cluster, if it asks for that. */
	readonly cluster?: {readonly server: string; readonly 'certificate-authority-data'?: string | undefined};
};

/** How this server says who it is: some of these. */
export type ClusterCredentials = {
	readonly cert?: string | undefined;
	readonly key?: Secret | undefined;
	readonly token?: Secret | undefined;
	/** A file whose content changes from time to time. */
	readonly tokenFile?: string | undefined;
	readonly program?: CredentialProgram | undefined;
};

/** Where the API server of a cluster is, and who we are there. */
export type ClusterAccess = {
	readonly server: URL;
	readonly namespace: string;
	/** Certificates as PEM; without them, those of the system count. */
	readonly ca?: string | undefined;
	/** The name that the server's certificate has, if that isn't its host. */
	readonly serverName?: string | undefined;
	readonly credentials: ClusterCredentials;
};

const text = z.optional(z.nullable(z.string()));
const flag = z.optional(z.nullable(z.boolean()));

const clusterSchema = z.looseObject({
	server: z.string(),
	'certificate-authority': text,
	'certificate-authority-data': text,
	'insecure-skip-tls-verify': flag,
	'tls-server-name': text,
	'proxy-url': text,
});

const programSchema = z.looseObject({
	apiVersion: z.string(),
	command: z.string(),
	args: z.optional(z.nullable(z.array(z.string()))),
	env: z.optional(z.nullable(z.array(z.looseObject({name: z.string(), value: z.string()})))),
	provideClusterInfo: flag,
	interactiveMode: text,
});

const userSchema = z.looseObject({
	'client-certificate': text,
	'client-certificate-data': text,
	'client-key': text,
	'client-key-data': text,
	token: text,
	tokenFile: text,
	username: text,
	'auth-provider': z.optional(z.unknown()),
	exec: z.optional(z.nullable(programSchema)),
});

const contextSchema = z.looseObject({cluster: z.string(), user: text, namespace: text});

const entriesOf = <Entry extends z.ZodMiniType>(entry: Entry) => z.optional(z.nullable(z.array(entry)));
const orNothing = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema));

const fileSchema = z.looseObject({
	'current-context': text,
	clusters: entriesOf(z.looseObject({name: z.string(), cluster: orNothing(clusterSchema)})),
	users: entriesOf(z.looseObject({name: z.string(), user: orNothing(userSchema)})),
	contexts: entriesOf(z.looseObject({name: z.string(), context: orNothing(contextSchema)})),
});

type Entry<Value> = {readonly value: Value /** The folder that relative paths start from. */; readonly folder: string};

type KubeConfig = {
	readonly current: string | undefined;
	readonly clusters: ReadonlyMap<string, Entry<z.output<typeof clusterSchema>>>;
	readonly users: ReadonlyMap<string, Entry<z.output<typeof userSchema>>>;
	readonly contexts: ReadonlyMap<string, Entry<z.output<typeof contextSchema>>>;
};

const maxFileBytes = 4 * 1024 * 1024;

/** Where a pod finds its own credentials. */
const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

type Places = {
	readonly env: Environment;
	readonly accountFolder?: string;
};

/**
 * Returns the cluster in `kubernetes[=context/namespace]`. The context is one of the files in KUBECONFIG, or of
 * `~/.kube/config`; by default the current one. Where there is none, a server in a pod uses the account of the pod. Throws
 * AppError("usage") for an unknown context and for what can't be used, AppError("failed") for unreadable files.
 */
export function findCluster(engine: string, places: Places): ClusterAccess {
	const given = engine.replace(/^kubernetes(?:=|$)/, '');
	if (engine !== 'kubernetes' && (given === engine || given === '')) {
		throw new AppError('usage', `Invalid engine “${engine}”.`, {
			hint: 'Use kubernetes, or kubernetes=context/namespace.',
		});
	}

	const config = readConfig(places.env);
	const {context, namespace} = splitPlace(given, config);
	const isInPod = places.env['KUBERNETES_SERVICE_HOST'] !== undefined && (context ?? config.current) === undefined;
	const access = isInPod ? podAccess(places) : contextAccess(context ?? config.current, config);
	return checkNamespace({...access, namespace: namespace ?? access.namespace});
}

/** Names of contexts may have slashes, as those of EKS. */
function splitPlace(given: string, {contexts}: KubeConfig): {context?: string; namespace?: string} {
	if (given === '' || contexts.has(given)) {
		return given === '' ? {} : {context: given};
	}

	const cut = given.lastIndexOf('/');
	const [context, namespace] = cut === -1 ? [given, ''] : [given.slice(0, cut), given.slice(cut + 1)];
	return {...(context && {context}), ...(namespace && {namespace})};
}

/** The name becomes part of paths. */
function checkNamespace(access: ClusterAccess): ClusterAccess {
	if (!/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(access.namespace)) {
		throw new AppError('usage', `Invalid namespace “${access.namespace}”.`, {
			hint: 'Use lowercase letters, digits and dashes, as in kubernetes=context/namespace.',
		});
	}

	return access;
}

/** Reads the files that `kubectl` reads. Of two entries with one name, the first counts. */
function readConfig(env: Environment): KubeConfig {
	const listed = env['KUBECONFIG']?.split(delimiter).filter(path => path !== '');
	const paths = listed?.length ? listed : [join(env['HOME'] ?? homedir(), '.kube', 'config')];
	const config = {current: undefined as string | undefined, clusters: new Map(), users: new Map(), contexts: new Map()};
	for (const path of paths) {
		const file = readFile(path);
		const folder = dirname(resolve(path));
		const add = (entries: Map<string, unknown>, name: string, value: object | null | undefined) => {
			if (value && !entries.has(name)) {
				entries.set(name, {value, folder});
			}
		};
		config.current ??= file['current-context'] || undefined;
		for (const {name, cluster} of file.clusters ?? []) {
			add(config.clusters, name, cluster);
		}

		for (const {name, user} of file.users ?? []) {
			add(config.users, name, user);
		}

		for (const {name, context} of file.contexts ?? []) {
			add(config.contexts, name, context);
		}
	}

	return config;
}

function readFile(path: string): z.output<typeof fileSchema> {
	let yaml = '';
	try {
		yaml = readFileSync(path, 'utf8');
	} catch (error) {
		if (errnoOf(error) === 'ENOENT') {
			return {};
		}

		throw explainFileError(error, 'read', path);
	}

	const {data, error} = fileSchema.safeParse(yaml.length > maxFileBytes ? 'too long' : parseYaml(yaml));
	if (error) {
		const where = error.issues[0]?.path.join('.') ?? '';
		throw new AppError('failed', `${path} is not a kubeconfig${where && `: its ${where} is invalid`}.`);
	}

	return data ?? {};
}

function parseYaml(yaml: string): unknown {
	try {
		return parse(yaml, {maxAliasCount: 100, schema: 'core', logLevel: 'error'}) ?? {};
	} catch {
		return 'invalid';
	}
}

function contextAccess(name: string | undefined, {clusters, users, contexts}: KubeConfig): ClusterAccess {
	if (name === undefined) {
		throw new AppError('usage', 'No cluster is configured, and this server runs in none.', {
			hint: 'Set KUBECONFIG, or name a context: --engine kubernetes=context/namespace.',
		});
	}

	const context = contexts.get(name)?.value;
	const cluster = context && clusters.get(context.cluster);
	if (!context || !cluster) {
		const known = [...contexts.keys()].slice(0, 20).join(', ');
		throw new AppError(
			'usage',
			`The kubeconfig has no ${context ? `cluster “${context.cluster}”` : `context “${name}”`}.`,
			{
				...(known !== '' && {hint: `Use one of its contexts: ${known}.`}),
			},
		);
	}

	const server = serverOf(cluster.value);
	const user = users.get(context.user ?? '');
	if (context.user && !user) {
		throw new AppError('usage', `The kubeconfig has no user “${context.user}”.`);
	}

	const ca = contentOf(cluster, 'certificate-authority');
	return {
		server,
		namespace: context.namespace || 'default',
		ca,
		serverName: cluster.value['tls-server-name'] || undefined,
		credentials: user ? credentialsOf(user, {server: server.href, ca}) : {},
	};
}

/** Throws AppError("usage") for a connection that others could read or answer (SAFETY 9). */
function serverOf(cluster: z.output<typeof clusterSchema>): URL {
	const server = URL.canParse(cluster.server) ? new URL(cluster.server) : undefined;
	if (!server || !['https:', 'http:'].includes(server.protocol) || server.username !== '') {
		throw new AppError('usage', `Invalid server “${cluster.server}” in the kubeconfig.`);
	}

	if (cluster['insecure-skip-tls-verify']) {
		throw new AppError(
			'usage',
			'The kubeconfig has insecure-skip-tls-verify, so that anyone could answer as the cluster.',
			{
				hint: 'Remove it, and add the certificate as certificate-authority-data.',
			},
		);
	}

	if (server.protocol === 'http:' && !isLoopback(server)) {
		throw new AppError(
			'usage',
			`Plain HTTP to ${server.host} would give anyone on the network control of the cluster.`,
			{
				hint: 'Use https:// in the kubeconfig.',
			},
		);
	}

	if (cluster['proxy-url']) {
		throw new AppError('usage', 'The kubeconfig has a proxy-url, which is not supported.');
	}

	return server;
}

function credentialsOf(
	user: Entry<z.output<typeof userSchema>>,
	cluster: {readonly server: string; readonly ca: string | undefined},
): ClusterCredentials {
	const {value, folder} = user;
	if (value['auth-provider']) {
		throw new AppError('usage', 'The kubeconfig has an auth-provider, which Kubernetes removed in 1.26.', {
			hint: 'Replace it with the exec program of your cluster’s vendor.',
		});
	}

	if (value.username) {
		throw new AppError('usage', 'The kubeconfig has a user name and a password, which Kubernetes removed in 1.19.', {
			hint: 'Use a certificate, a token or an exec program.',
		});
	}

	const key = contentOf(user, 'client-key');
	return {
		cert: contentOf(user, 'client-certificate'),
		key: key === undefined ? undefined : secret(key),
		token: value.token ? secret(value.token) : undefined,
		tokenFile: value.token || !value.tokenFile ? undefined : resolve(folder, value.tokenFile),
		program: value.exec ? programOf(value.exec, folder, cluster) : undefined,
	};
}

/** Returns the content of a certificate or a key: `<name>-data` in base64, or the file `<name>`. */
function contentOf({value, folder}: Entry<Readonly<Record<string, unknown>>>, name: string): string | undefined {
	const [data, path] = [value[`${name}-data`], value[name]];
	if (typeof data === 'string' && data !== '') {
		return Buffer.from(data, 'base64').toString('utf8');
	}

	if (typeof path !== 'string' || path === '') {
		return undefined;
	}

	const file = resolve(folder, path);
	try {
		return readFileSync(file, 'utf8');
	} catch (error) {
		throw explainFileError(error, 'read', file);
	}
}

const programVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

function programOf(
	{apiVersion, command, args, env, provideClusterInfo, interactiveMode}: z.output<typeof programSchema>,
	folder: string,
	{server, ca}: {readonly server: string; readonly ca: string | undefined},
): CredentialProgram {
	if (!programVersions.includes(apiVersion)) {
		throw new AppError('usage', `The kubeconfig has an exec program for ${apiVersion}.`, {
			hint: `Update it to one for ${programVersions[0]}.`,
		});
	}

	if (interactiveMode === 'Always') {
		throw new AppError(
			'usage',
			`The exec program ${command} in the kubeconfig needs a terminal, which a server has not.`,
		);
	}

	return {
		apiVersion,
		// As `kubectl` does: a path with a slash starts from the file, a bare name is searched in PATH.
		command: /[/\\]/.test(command) ? resolve(folder, command) : command,
		args: args ?? [],
		env: Object.fromEntries(env?.map(({name, value}) => [name, value]) ?? []),
		...(provideClusterInfo && {
			cluster: {server, ...(ca !== undefined && {'certificate-authority-data': Buffer.from(ca).toString('base64')})},
		}),
	};
}

/** Returns the cluster that this server is a pod of. */
function podAccess({env, accountFolder: folder = accountFolder}: Places): ClusterAccess {
	const read = (name: string) => {
		try {
			return readFileSync(join(folder, name), 'utf8');
		} catch (error) {
			throw explainFileError(error, 'read', join(folder, name));
		}
	};
	const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
	const port = env['KUBERNETES_SERVICE_PORT'] || '443';
	return {
		server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
		namespace: read('namespace').trim(),
		ca: read('ca.crt'),
		credentials: {tokenFile: join(folder, 'token')},
	};
}
