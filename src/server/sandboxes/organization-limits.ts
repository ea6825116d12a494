import {AppError} from '../../core/error.ts';
import {operator, recordAct} from '../accounts/audit-log.ts';
import {readStorage} from '../quota/stored-bytes.ts';
import {limitFor} from './capacity.ts';
import {platformPolicy, type SandboxServices} from './sandboxing.ts';

/** A change by an operator. Omitted values stay as they are; 0 resets one to the server's own limit. */
export type LimitChange = {
	/** The organization's slug. */
	readonly organization: string;
	/** Maximum and default time limit of a sandbox in seconds. */
	readonly max?: number | undefined;
	readonly default?: number | undefined;
	/** Maximum number of sandboxes at once. */
	readonly capacity?: number | undefined;
	/** Maximum bytes of spans and artifacts. */
	readonly storageBytes?: number | undefined;
};

/** The limits of an organization after a change; null means the server's own limit. */
export type LimitState = {
	readonly max_seconds: number | null;
	readonly default_seconds: number | null;
	readonly capacity: number | null;
	/** Maximum bytes of spans and artifacts; null means that of `serve --storage-limit`. */
	readonly storage_bytes: number | null;
	/** How many there are. */
	readonly stored_bytes: number;
	/** The resulting limits. */
	readonly effective: {readonly max_seconds: number; readonly default_seconds: number; readonly capacity: number};
};

/**
 * Changes the limits of an organization and returns the result. Throws AppError("not-found") for an unknown
 * organization, and AppError("usage") for a default above the maximum.
 */
export function changeLimits(
	{database, now}: Pick<SandboxServices, 'database' | 'now'>,
	{organization, max, default: defaultSeconds, capacity, storageBytes}: LimitChange,
): Promise<LimitState> {
	return database.transaction().execute(async transaction => {
		const changes = {
			...(max !== undefined && {runtime_seconds_max: max || null}),
			...(defaultSeconds !== undefined && {runtime_seconds_default: defaultSeconds || null}),
			...(capacity !== undefined && {sandbox_capacity: capacity || null}),
			...(storageBytes !== undefined && {storage_bytes_max: storageBytes || null}),
		};
		// New sandboxes lock the same row, so none is admitted during the change.
		const bounds = await transaction
			.updateTable('organizations')
			.set(({ref}) => ({
				...changes,
				updated_at: Object.keys(changes).length > 0 ? now().toISOString() : ref('updated_at'),
			}))
			.where('slug', '=', organization)
			.returning(['id', 'runtime_seconds_max', 'runtime_seconds_default', 'sandbox_capacity', 'storage_bytes_max'])
			.executeTakeFirstOrThrow(
				() =>
					new AppError('not-found', `Organization not found: “${organization}”.`, {
						hint: 'Check the spelling, and that --data names the right folder.',
					}),
			);
		const {actual, configured} = limitFor(platformPolicy, bounds, null);
		const {runtime_seconds_max: maxSeconds, runtime_seconds_default: chosen} = bounds;
		if (chosen !== null && chosen > configured.seconds) {
			throw new AppError('usage', `The default (${chosen} s) is longer than the maximum (${configured.seconds} s).`, {
				hint: 'Use a shorter --default or a longer --max.',
			});
		}

		if (Object.keys(changes).length > 0) {
			await recordAct(transaction, operator, {
				act: 'organization.limits',
				organizationId: bounds.id,
				subject: {id: bounds.id, name: organization},
				details: {
					max_seconds: maxSeconds,
					default_seconds: chosen,
					capacity: bounds.sandbox_capacity,
					storage_bytes: bounds.storage_bytes_max,
				},
				at: now(),
			});
		}

		return {
			max_seconds: maxSeconds,
			default_seconds: chosen,
			capacity: bounds.sandbox_capacity,
			storage_bytes: bounds.storage_bytes_max,
			stored_bytes: (await readStorage(transaction, bounds.id, 0)).stored,
			effective: {
				max_seconds: configured.seconds,
				default_seconds: actual,
				capacity: bounds.sandbox_capacity ?? platformPolicy.capacity,
			},
		};
	});
}
