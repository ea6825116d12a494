import type {OperationId} from '../../contract/operations.ts';
import {authorize} from './authorize.ts';
import {refuse} from './refusal.ts';
import type {RouteRequest} from './route.ts';
import {findScope, type Scope} from './scope.ts';
import type {CoreServices} from './services.ts';

/**
 * Finds the scope that a path names and asks whether the caller may: 404 for what is not his, 403 for what his role does
 * not allow. Without a name of an organization in the path there is no scope.
 */
export async function guard(
	action: OperationId,
	{principal, parameters}: RouteRequest,
	{database}: CoreServices,
): Promise<Scope | undefined> {
	const scope = await findScope(database, principal, parameters);
	if (parameters['org'] !== undefined && !scope) {
		refuse(404, notFound);
	}

	if (!authorize(action, scope?.role)) {
		refuse(403, `The role “${scope?.role}” does not allow this in the organization.`);
	}

	return scope;
}

/** What every operation says of what is not there, or belongs to others. */
export const notFound = 'Not found: nothing has this name or id.';
