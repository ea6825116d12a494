import {randomUUID} from 'node:crypto';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import type {KyselyPlugin} from 'kysely';
import type {Blobs} from '../../../src/server/artifacts/blobs.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import type {Services} from '../../../src/server/handlers/services.ts';
import {createApp} from '../../../src/server/http/app.ts';
import {sandboxFolder} from '../../../src/server/sandboxes/sandbox-folder.ts';
import {createSandboxing} from '../../../src/server/sandboxes/sandboxing.ts';
import {createSupervisorLog} from '../../../src/server/sandboxes/supervisor/supervisor-log.ts';
import {inWorkspace, send, type TestServer} from '../harness.ts';
import {findProjectOf} from '../rows.ts';

/** A server on the machine of a test server, or on another one. Logs are collected. Its database may be another view of the same one. */
export function collecting(services: Services, database: Database = services.database, logBlobs?: Blobs): Services {
	const {provider} = services.sandboxes;
	const folder = join(services.sandboxes.secrets, '..');
	const sandboxes = createSandboxing({folder, log: services.log, provider, isShared: true, logBlobs});
	return {...services, database, sandboxes};
}

/** A sandbox of an environment that exists in the database, and the writer of its log, which is the supervisor's. */
export async function addLoggedSandbox(
	server: TestServer,
	{segmentBytes = 1024 * 1024, segments = 8}: {readonly segmentBytes?: number; readonly segments?: number} = {},
) {
	const {database, services, owner} = server;
	const {organizationId, workspaceId} = await findProjectOf(database);
	const {provider} = services.sandboxes;
	const machine = await provider.machine();
	const [id, environmentId] = [randomUUID(), randomUUID()];
	const at = services.now().toISOString();
	const shared = {organization_id: organizationId, created_by: owner.id, created_at: at, expires_at: null};
	await database
		.insertInto('sandboxes')
		.values({
			...{...shared, id, provider: 'local', provider_sandbox_id: id, machine, state: 'running'},
			...{sandbox_url: null, past_seconds: 0, running_since: at, billed_credits: 0, startup_timing: '{}'},
		})
		.execute();
	await database
		.insertInto('environments')
		.values({
			...{...shared, id: environmentId, workspace_id: workspaceId, sandbox_id: id, state: 'ready', task_ref: 'task'},
			...{inputs: '{}', model_overrides: '{}', service_urls: '{}', updated_at: at},
		})
		.execute();
	await database
		.insertInto('sandbox_logs')
		.values({sandbox_id: id, machine, state: 'open', start_offset: 0, end_offset: 0, collected: 0})
		.execute();
	const {log} = sandboxFolder(join(server.folder, 'sandboxes'), id);
	mkdirSync(log, {recursive: true});
	const writer = createSupervisorLog({folder: log, segmentBytes, segments});
	return {
		id,
		environmentId,
		...writer,
		/** Ends the sandbox, as the server does. */
		async end() {
			const updated_at = services.now().toISOString();
			await database
				.updateTable('environments')
				.set({state: 'torn_down', updated_at})
				.where('id', '=', environmentId)
				.execute();
			await database.updateTable('sandboxes').set({state: 'killed'}).where('id', '=', id).execute();
			await database.updateTable('sandbox_logs').set({state: 'ended'}).where('sandbox_id', '=', id).execute();
		},
	};
}

/** Returns a function that reads a log over HTTP from a server. */
export function logReader(server: TestServer, services: Services, environmentId: string) {
	const app = createApp({services});
	return async (after?: number, headers: Readonly<Record<string, string>> = {}) => {
		const query = after === undefined ? '' : `?after=${after}`;
		const path = `${inWorkspace}/environments/${environmentId}/logs${query}`;
		const {status, headers: given, json} = await send(app, path, {key: server.owner.key, headers});
		return {
			status,
			logs: json?.logs as string | undefined,
			...{tag: given.get('etag'), start: given.get('x-log-start')},
			...{offset: given.get('x-log-offset'), ended: given.get('x-log-ended')},
		};
	};
}

/** Returns another view of a database, in which each query first calls a function with its first table and kind. It may throw. */
export function observed(database: Database, onQuery: (table: string, kind: string) => void): Database {
	const plugin: KyselyPlugin = {
		transformQuery({node}) {
			onQuery(/"identifier":\{"kind":"IdentifierNode","name":"(\w+)"/.exec(JSON.stringify(node))?.[1] ?? '', node.kind);
			return node;
		},
		transformResult: async ({result}) => result,
	};
	return database.withPlugin(plugin);
}
