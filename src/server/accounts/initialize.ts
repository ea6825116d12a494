import {randomUUID} from 'node:crypto';
import {AppError} from '../../core/error.ts';
import type {Secret} from '../../core/secrets/secret.ts';
import type {Database, DatabaseTransaction} from '../database/tables.ts';
import type {DataAccess} from '../kit/services.ts';
import {createApiKey} from './api-key.ts';
import {operator, recordAct} from './audit-log.ts';
import {isEmail, normalizeEmail} from './user.ts';

/** What `serve init` creates. The slugs are also the initial names. */
export type FirstPlaces = {
	readonly organization: string;
	readonly workspace: string;
	readonly project: string;
	readonly email: string;
};

/** What `serve init` prints. */
export type Initialized = {
	readonly apiKey: Secret;
	readonly organization: string;
	readonly workspace: string;
	readonly project: string;
	readonly userId: string;
	/** Whether the owner was created, too. */
	readonly isNewUser: boolean;
};

/**
 * Creates an organization with a workspace, a project, its owner and their API key, all or nothing. The data may have other
 * organizations, and the owner may be an existing user. Throws `AppError("conflict")` if the organization exists, and
 * `AppError("usage")` for an invalid slug or address.
 */
export async function initialize(
	services: DataAccess,
	{organization, workspace, project, email}: FirstPlaces,
): Promise<Initialized> {
	for (const [name, slug] of Object.entries({organization, workspace, project})) {
		checkSlug(name, slug);
	}

	checkEmail(email);
	return await services.database.transaction().execute(async database => {
		const created_at = services.now().toISOString();
		const organizationId = randomUUID();
		const {numInsertedOrUpdatedRows} = await database
			.insertInto('organizations')
			.values({
				id: organizationId,
				slug: organization,
				name: organization,
				description: null,
				runtime_seconds_max: null,
				runtime_seconds_default: null,
				sandbox_capacity: null,
				created_at,
				updated_at: created_at,
			})
			.onConflict(conflict => conflict.column('slug').doNothing())
			.executeTakeFirstOrThrow();
		if (!numInsertedOrUpdatedRows) {
			throw new AppError('conflict', `This data already has an organization “${organization}”.`, {
				hint: 'Use the API key printed when it was created, or another --org.',
			});
		}

		const workspaceId = randomUUID();
		await database
			.insertInto('workspaces')
			.values({id: workspaceId, organization_id: organizationId, slug: workspace, name: workspace, created_at})
			.execute();
		await database
			.insertInto('projects')
			.values({id: randomUUID(), workspace_id: workspaceId, slug: project, name: project, created_at})
			.execute();
		const {userId, isNew} = await findOrMakeUser(database, {email, created_at});
		await database
			.insertInto('members')
			.values({organization_id: organizationId, user_id: userId, role: 'owner', created_at})
			.execute();
		const {secret} = await createApiKey({database, now: services.now}, {userId, name: 'serve init'});
		await recordAct(database, operator, {
			act: 'organization.create',
			organizationId,
			subject: {id: organizationId, name: organization},
			details: {workspace, project, owner: normalizeEmail(email)},
			at: services.now(),
		});
		return {apiKey: secret, organization, workspace, project, userId, isNewUser: isNew};
	});
}

/** Returns the e-mail address of an organization's longest-standing owner, given its slug. */
export async function findOwner(
	{database}: {readonly database: Database},
	organization: string,
): Promise<string | undefined> {
	const owner = await database
		.selectFrom('members')
		.innerJoin('organizations', 'organizations.id', 'members.organization_id')
		.innerJoin('users', 'users.id', 'members.user_id')
		.select('email')
		.where('slug', '=', organization)
		.where('role', '=', 'owner')
		.orderBy('members.created_at')
		.orderBy('users.id')
		.executeTakeFirst();
	return owner?.email;
}

/**
 * Returns the slug of the only organization. Throws `AppError("not-found")` if there is none, and `AppError("usage")` with
 * the first ones if there are several.
 */
export async function findOnlyOrganization({database}: {readonly database: Database}): Promise<string> {
	const rows = await database.selectFrom('organizations').select('slug').orderBy('slug').limit(10).execute();
	const [only, ...others] = rows.map(({slug}) => slug);
	if (only === undefined) {
		throw new AppError('not-found', 'This server has no organization yet.', {hint: 'Create one: `serve init`'});
	}

	if (others.length > 0) {
		throw new AppError('usage', 'This server has several organizations.', {
			hint: `Choose one with --org: ${[only, ...others].join(', ')}.`,
		});
	}

	return only;
}

/** A user by their address, and the organization that adds them; null for the operator. */
type Wanted = {readonly email: string; readonly created_at: string; readonly addedBy?: string | null};

/** Returns the user with an address, who is created if there is none. */
export async function findOrMakeUser(
	database: DatabaseTransaction,
	{email, created_at, addedBy = null}: Wanted,
): Promise<{readonly userId: string; readonly isNew: boolean; readonly addedBy: string | null}> {
	const normal = normalizeEmail(email);
	const find = () =>
		database.selectFrom('users').select(['id', 'added_by']).where('email', '=', normal).executeTakeFirst();
	const known = await find();
	if (known) {
		return {userId: known.id, isNew: false, addedBy: known.added_by};
	}

	const userId = randomUUID();
	const first = await database.selectFrom('users').select('id').limit(1).executeTakeFirst();
	const {numInsertedOrUpdatedRows: isNew} = await database
		.insertInto('users')
		.values({
			id: userId,
			email: normal,
			// An address belongs to one user, so it serves as the user name until they choose another.
			username: normal,
			full_name: null,
			password_hash: null,
			totp_secret: null,
			totp_pending_secret: null,
			totp_last_step: null,
			suspended_at: null,
			// Who is there first runs the server.
			is_administrator: first ? 0 : 1,
			added_by: addedBy,
			created_at,
		})
		// Another request may add the same address at the same time.
		.onConflict(conflict => conflict.doNothing())
		.executeTakeFirstOrThrow();
	const other = isNew ? undefined : await find();
	return other ? {userId: other.id, isNew: false, addedBy: other.added_by} : {userId, isNew: true, addedBy};
}

/** Returns whether a text may be the slug of an organization, a workspace or a project. */
export function isSlug(text: string): boolean {
	return /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(text);
}

function checkSlug(name: string, slug: string): void {
	if (!isSlug(slug)) {
		throw new AppError('usage', `“${slug}” cannot name ${name === 'organization' ? 'an' : 'a'} ${name}.`, {
			hint: 'Use up to 63 lowercase letters, digits and dashes, with no dash first or last.',
		});
	}
}

/** Throws `AppError("usage")` for a text that can't be an e-mail address. */
export function checkEmail(email: string): void {
	if (!isEmail(normalizeEmail(email))) {
		throw new AppError('usage', `“${email}” is not an e-mail address.`, {hint: 'Use the form name@example.com.'});
	}
}
