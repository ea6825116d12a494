import type {OperationId} from '../../contract/extensions.ts';
import {authorize, isForAdministrators} from './authorize.ts';
import {reject, rejectNotFound} from './http-error.ts';
import type {RouteRequest} from './route.ts';
import type {RequestScope} from './scope.ts';

/**
 * Returns the scope that a path names; undefined if the path has no organization. Rejects with 404 if the caller has no
 * access to it, and with 403 if their role doesn't allow the action.
 */
export function guard(
	action: OperationId,
	{scope, parameters, isAdministrator}: RouteRequest,
): RequestScope | undefined {
	if (parameters['org'] !== undefined && !scope) {
		rejectNotFound();
	}

	if (isForAdministrators(action)) {
		return isAdministrator ? undefined : reject(403, 'Only administrators of this server may do this.');
	}

	if (!authorize(action, scope?.role)) {
		reject(403, `The role “${scope?.role}” does not allow this in the organization.`);
	}

	return scope;
}
