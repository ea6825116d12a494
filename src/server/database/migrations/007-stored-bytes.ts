/**
 * Stored bytes by organization. Existing spans are counted by text lengths, which the engines know without reading the
 * texts. Existing artifacts are not counted, because the database doesn't know their sizes.
 */
export const storedBytes: readonly string[] = [
	`create table stored_bytes (
		organization_id text primary key references organizations (id) on delete cascade,
		bytes bigint not null
	)`,
	`insert into stored_bytes (organization_id, bytes)
		select organization_id, sum(octet_length(attributes) + octet_length(resource) + octet_length(events)
			+ octet_length(name) + coalesce(octet_length(status_message), 0) + 200)
		from spans group by organization_id`,
];
