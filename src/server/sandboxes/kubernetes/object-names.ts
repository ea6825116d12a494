import {isUuid} from '../../../core/uuid.ts';
import type {SandboxSpec} from '../provider.ts';

/** The labels of our objects: the sandbox, and its organization. */
export const sandboxLabel = 'service.sandbox';
export const organizationLabel = 'service.organization';

/** What the server writes about a sandbox, on its Sandbox or else its pod. */
export const annotations = {
	/** The number of its build steps. */
	builds: 'service.builds',
	/** The hosts that it reaches, if those are single ones. */
	allow: 'service.allow',
	/** Set while it is paused, until its program runs again. */
	paused: 'service.paused',
	/** Where the log of its pod begins in its whole log. */
	logPosition: 'service.log-position',
	/** Lines of the server at the end of its log. */
	notes: 'service.notes',
};

/** The user and the group of every sandbox. */
export const sandboxUser = 1000;

/** The container in each pod. */
export const containerName = 'sandbox';

/** Selects all objects of sandboxes. */
export const selector = sandboxLabel;

/** Returns the name of the objects of a sandbox. Throws a plain error for an id that is not a UUID, because that becomes part of paths. */
export function objectName(id: string): string {
	return `service-${checkId(id)}`;
}

/** Returns the name of the volume of a workspace that outlives its sandboxes. Throws as `objectName` does. */
export function workspaceName(workspace: string): string {
	return `service-workspace-${checkId(workspace)}`;
}

function checkId(id: string): string {
	if (!isUuid(id)) {
		throw new Error('The id of a sandbox is not a UUID.');
	}

	return id;
}

export function labelsFor({id, organization}: Pick<SandboxSpec, 'id' | 'organization'>) {
	return {[sandboxLabel]: id, [organizationLabel]: organization};
}
