import {isOver, type TaskEnvironment} from '../../../contract/resources/environment.ts';
import type {EnvironmentRow} from '../../sandboxes/environment-transition.ts';

/** Returns an environment as the API defines it. `executeToken` is only for its creator. */
export function environmentResponse(row: EnvironmentRow, executeToken: string | null = null): TaskEnvironment {
	return {
		id: row.id,
		state: row.state,
		task_ref: row.task_ref,
		created_at: row.created_at,
		// An ended environment doesn't expire any more.
		expires_at: isOver(row.state) ? null : row.expires_at,
		error: row.error,
		execute_token: executeToken,
		instruction: row.instruction,
		service_urls: JSON.parse(row.service_urls),
		task_verification: row.verification === null ? null : JSON.parse(row.verification),
	};
}
