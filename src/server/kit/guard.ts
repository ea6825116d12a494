import type {OperationId} from '../../contract/operations.ts';
import {authorize} from './authorize.ts';
import {reject, rejectNotFound} from './http-error.ts';
import type {RouteRequest} from './route.ts';
import {findScope, type Scope} from './scope.ts';
import type {CoreServices} from './services.ts';

/**
 * Returns the scope that a path names; undefined if the path has no organization. Rejects with 404 if the caller has no
 * access to it, and with 403 if their role doesn't allow the action.
 */
export async function guard(
	action: OperationId,
	{principal, parameters}: RouteRequest,
	{database}: CoreServices,
): Promise<Scope | undefined> {
	const scope = await findScope(database, principal, parameters);
	if (parameters['org'] !== undefined && !scope) {
		rejectNotFound();
	}

	if (!authorize(action, scope?.role)) {
		reject(403, `The role “${scope?.role}” does not allow this in the organization.`);
	}

	return scope;
}
