import {createHash, randomUUID} from 'node:crypto';
import {reject} from '../kit/http-error.ts';
import type {SandboxServices} from './sandboxing.ts';

export type NewRuntime = {
	readonly organizationId: string;
	readonly workspaceId: string;
	readonly projectId: string | null;
	/** The owner, who is the only user that may operate it. */
	readonly createdBy: string;
	/** Its name in paths, unique in its workspace. */
	readonly key: string;
	readonly name: string;
	readonly description?: string | null;
	/** `[org/]name[@version]` of the task that its sandbox runs. */
	readonly taskReference: string;
	/** Maximum seconds of one run; without it, the organization decides. */
	readonly requestedSeconds?: number | null;
};

const configVersion = '1';

/** Creates a runtime without a sandbox and returns its id. Rejects (409) a key that is in use. */
export async function createRuntime({database, now}: SandboxServices, runtime: NewRuntime): Promise<string> {
	const {key, name, description = null, taskReference, requestedSeconds = null} = runtime;
	const id = randomUUID();
	const at = now().toISOString();
	const config = JSON.stringify({version: configVersion, task_ref: taskReference, requested_seconds: requestedSeconds});
	const {numInsertedOrUpdatedRows} = await database
		.insertInto('runtimes')
		.values({
			id,
			organization_id: runtime.organizationId,
			workspace_id: runtime.workspaceId,
			project_id: runtime.projectId,
			created_by: runtime.createdBy,
			key,
			name,
			description,
			config_digest: `sha256:${createHash('sha256').update(config).digest('hex')}`,
			config_version: configVersion,
			status: 'idle',
			requested_seconds: requestedSeconds,
			task_ref: taskReference,
			created_at: at,
			updated_at: at,
		})
		.onConflict(conflict => conflict.columns(['workspace_id', 'key']).doNothing())
		.executeTakeFirst();
	if (numInsertedOrUpdatedRows === 0n) {
		reject(409, `This workspace already has a runtime “${key}”. Choose another key.`, {
			type: 'already_exists_error',
		});
	}

	return id;
}
