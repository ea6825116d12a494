import {randomUUID} from 'node:crypto';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {initialize} from '../../src/server/accounts/initialize.ts';
import {addMember} from '../../src/server/accounts/members.ts';
import {createSeal, createSealKey} from '../../src/server/accounts/seal.ts';
import type {ArtifactLocation} from '../../src/server/artifacts/artifact-location.ts';
import {openArtifacts} from '../../src/server/artifacts/artifact-store.ts';
import type {MemberRole} from '../../src/server/database/role.ts';
import {loadServerCatalog} from '../../src/server/handlers/server-catalog.ts';
import type {Services} from '../../src/server/handlers/services.ts';
import {createApp} from '../../src/server/http/app.ts';
import type {Log, ServerLogEntry} from '../../src/server/kit/log.ts';
import type {App} from '../../src/server/kit/route.ts';
import {createLocalProvider} from '../../src/server/sandboxes/local-provider.ts';
import {endSandboxes} from '../../src/server/sandboxes/sandbox-monitor.ts';
import {createSandboxing, type Sandboxing} from '../../src/server/sandboxes/sandboxing.ts';
import {emptyDatabase} from './database/engine.ts';
import {containmentHere} from './sandboxes/sandbox.ts';
import {supervisor} from './sandboxes/supervisor.ts';

export const origin = 'http://127.0.0.1:8700';

/** The initial scope of every test server. */
export const scope = {org: 'acme', workspace: 'main', project: 'web'} as const;

/** What hashing a password costs in tests. A server that is started for users hashes at full cost (`login-pages.test.ts`). */
export const cheapCost = {N: 16, r: 8, p: 1};

/** The catalog of every test server, which has no key of a provider. */
const catalog = loadServerCatalog({});

type Sent = {
	readonly method?: string;
	/** A key or a token for `Authorization: Bearer`. */
	readonly key?: string;
	/** Sent as JSON. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
};

export type TestServer = Awaited<ReturnType<typeof createTestServer>>;

/** A server as a function of a request, with an empty database and an organization, its owner and their key. */
export async function createTestServer({
	artifacts,
	storageLimit = 1e9,
}: {
	artifacts?: ArtifactLocation;
	storageLimit?: number;
} = {}) {
	const database = await emptyDatabase();
	const entries: ServerLogEntry[] = [];
	const clock = {now: new Date('2026-03-01T12:00:00.000Z')};
	const log: Log = entry => entries.push(entry);
	const folder = join(tmpdir(), `service-server-${randomUUID()}`);
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const seal = createSeal(createSealKey());
	const shared = {
		database,
		now: () => new Date(clock.now),
		publicUrl: () => origin,
		log,
		seal,
		passwordCost: cheapCost,
	};
	const services: Services = {
		...shared,
		catalog: await catalog,
		artifacts: openArtifacts(artifacts ?? {kind: 'disk', folder: join(folder, 'artifacts')}, shared),
		sandboxes: testSandboxes(folder, log),
		storageLimit,
	};
	onTestFinished(async () => {
		await services.sandboxes.background.close();
		await endSandboxes(services).catch(() => undefined);
	});
	const app = createApp({services, demo: {speed: Number.POSITIVE_INFINITY}});
	const {userId, apiKey} = await initialize(services, {
		organization: scope.org,
		workspace: scope.workspace,
		project: scope.project,
		email: 'owner@acme.example',
	});
	const owner = {id: userId, key: apiKey.reveal()};

	return {
		app,
		database,
		services,
		owner,
		/** The folder for its files, created on first use and removed after the test. */
		folder,
		/** Everything logged, requests and bugs. */
		entries,
		/** Moves the clock of the server. */
		advance(milliseconds: number) {
			clock.now = new Date(clock.now.getTime() + milliseconds);
		},
		/** Adds another user to the organization, with their own key. */
		async join(role: MemberRole) {
			const email = `${role}-${randomUUID()}@acme.example`;
			const joined = await addMember(services, {organization: scope.org, email, role});
			return {id: joined.userId, key: joined.apiKey?.reveal() ?? ''};
		},
		/** Adds another organization with its own owner. */
		async foundAnother(organization = 'rival') {
			const made = await initialize(services, {
				organization,
				workspace: 'main',
				project: 'web',
				email: `owner@${organization}.example`,
			});
			return {id: made.userId, key: made.apiKey.reveal()};
		},
		send: (path: string, sent: Sent = {}) => send(app, path, {key: owner.key, ...sent}),
	};
}

/** Sandboxes in a folder that is created on first use. */
function testSandboxes(folder: string, log: Log): Sandboxing {
	const provider = createLocalProvider({
		root: join(folder, 'sandboxes'),
		graceMs: 300,
		environment: {},
		findContainment: containmentHere,
		supervisor,
		allowUncontained: true,
	});
	// A busy machine starts sandboxes slowly, and tests of a server that doesn't wait for one say so.
	return createSandboxing({folder, log, provider, policy: {startTimeoutMs: 60_000}});
}

/** Sends a request to an app and reads the response as JSON, if it is. */
export async function send(app: App, path: string, {method = 'GET', key, body, headers = {}}: Sent) {
	const gone = new AbortController();
	onTestFinished(() => gone.abort());
	const response = await app(
		new Request(`${origin}${path}`, {
			method,
			signal: gone.signal,
			headers: {
				host: new URL(origin).host,
				...(key && {authorization: `Bearer ${key}`}),
				...(body !== undefined && {'content-type': 'application/json'}),
				...headers,
			},
			...(body !== undefined && {body: JSON.stringify(body)}),
		}),
	);
	const text = await response.text();
	const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
	return {status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined};
}

/** The start of every path in the test's workspace. */
export const inWorkspace = `/api/v1/org/${scope.org}/ws/${scope.workspace}`;
