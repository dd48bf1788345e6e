/*
 * toast_reader.c
 *	  Reads TOASTed values in the order they were written.
 *
 * PostgreSQL fetches a value from its TOAST table by opening table and index,
 * descending the index and collecting chunk after chunk into new memory; for
 * arrays of some kilobytes that is half of what the query costs.  But values are
 * nearly always read in the order in which they were stored.  So the reader keeps the
 * TOAST table open, and guesses that a chunk lies right behind the last one it read, on
 * the same page or the next.  A tuple there is taken only if
 *
 *	  - its chunk_id and chunk_seq are the wanted ones,
 *	  - it is visible by the snapshot that PostgreSQL reads TOAST tables with,
 *	  - its length is the one that such a chunk must have,
 *	  - it is live: its inserter committed or is this transaction, and no
 *		transaction has tried to delete it.
 *
 * That finds the same tuple as the index would.  An index has an entry for each live
 * tuple, and PostgreSQL gives no new value an id that has an entry, so no two live chunks
 * have the same id and number.  Dead chunks are not taken by a guess.  The snapshot calls
 * them visible, but while they still lie in the table their index entries may be gone:
 * REINDEX makes none for them.  Once the counter of oids has wrapped around, their ids
 * may be used again.  A deleted chunk may still be wanted by an older snapshot.  A value
 * that has such chunks is left to detoast_attr, which asks the index for all of them.
 *
 * If a guess fails, the index is asked, by one scan that stays open.  If the index does
 * not find the chunk either, detoast_attr fetches the value or raises PostgreSQL's own
 * error.  After several failed guesses in a row only every 16th value, or chunk of a value, is
 * guessed, so that those in random order cause few reads of wrong pages.
 *
 * A page is locked in share mode while chunks are copied from it.  It stays pinned until
 * the next page is needed or the reader is paused.  The next page is pinned as well.  The
 * AccessShareLock on the TOAST table, which keeps VACUUM from truncating it, is held until
 * the reader ends.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/genam.h"
#include "access/heapam.h"
#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/skey.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/toast_compression.h"
#include "access/toast_internals.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "common/pg_lzcompress.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/expandeddatum.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "guc.h"
#include "toast/toast_reader.h"

#define CHUNK_ID 1
#define CHUNK_SEQ 2
#define CHUNK_DATA 3

#define MAX_GUESSED_PAGES 2		/* the page of the last chunk, and the next page */
#define MAX_CHUNKS_ON_PAGE (EXTERN_TUPLES_PER_PAGE + 1)	/* chunks of one value, the last of them shorter */
#define MAX_FAILED_GUESSES 4	/* in a row, before guessing becomes rare */
#define RARE_GUESS_INTERVAL 16	/* values per guess from then on */

/* One TOAST table that values came from. */
typedef struct ToastTable
{
	Relation	relation;
	Relation   *indexes;
	int			nindexes;
	int			valid_index;
	bool		readable;		/* true if it is a heap, whose pages can be read here */
	IndexScanDesc scan;			/* NULL until the index is asked */
	Snapshot	snapshot;
	SnapshotData snapshot_data;
	TransactionId committed;	/* the inserter last found to have committed */
	BlockNumber nblocks;		/* this many blocks are known to exist */
	BlockNumber block;			/* block and offset are the place behind the last chunk read */
	OffsetNumber offset;
	Buffer		buffer;			/* the pinned page, or InvalidBuffer */
	Buffer		ahead;			/* the pinned page behind it, or InvalidBuffer */
	int			step;			/* last distance from a page's buffer to that of the next page */
	int			failed_guesses; /* in a row, of a value's first chunk */
	int			failed_later;	/* in a row, of chunks behind one that the index gave */
	struct ToastTable *next;
} ToastTable;

struct ToastReader
{
	MemoryContext context;
	ToastTable *tables;			/* the one used last is the first */
};

/* A value that is being read. */
typedef struct ToastValue
{
	Oid			id;
	int32		size;			/* bytes in all chunks */
	int32		next;			/* number of the chunk to be read next */
	int32		nchunks;
	bool		has_dead_chunks;	/* a chunk of it is not certain to be live */
	char	   *place;
} ToastValue;

/* A chunk on the pinned page, and where it is to go. */
typedef struct FoundChunk
{
	const char *data;
	int32		size;
	char	   *place;
} FoundChunk;

/* Begins a reader that lives in the current memory context. */
ToastReader *
gpusort_toast_begin(void)
{
	ToastReader *reader = palloc0(sizeof(ToastReader));

	reader->context = CurrentMemoryContext;
	return reader;
}

/* Copies a detoasted value to its place and frees it. */
static void
move_detoasted(struct varlena *attribute, Size size, char *place)
{
	if (VARSIZE(attribute) != size)
		elog(ERROR, "detoasted value has %zu bytes, not the expected %zu", (Size) VARSIZE(attribute), size);
	memcpy(place, attribute, size);
	pfree(attribute);
}

/*
 * Decompresses a value to its place.  Other methods than pglz, and the error for corrupt data, are
 * detoast_attr's.
 */
static void
flatten_compressed(struct varlena *attribute, Size size, char *place)
{
	int32		raw_size = size - VARHDRSZ;

	if (TOAST_COMPRESS_METHOD(attribute) == TOAST_PGLZ_COMPRESSION_ID &&
		pglz_decompress((char *) attribute + VARHDRSZ_COMPRESSED, VARSIZE(attribute) - VARHDRSZ_COMPRESSED,
						place + VARHDRSZ, raw_size, true) == raw_size)
		SET_VARSIZE(place, size);
	else
		move_detoasted(detoast_attr(attribute), size, place);
}

static ToastTable *
open_table(ToastReader *reader, Oid relid)
{
	MemoryContext caller = MemoryContextSwitchTo(reader->context);
	ToastTable *table = palloc0(sizeof(ToastTable));

	table->relation = table_open(relid, AccessShareLock);
	table->valid_index = toast_open_indexes(table->relation, AccessShareLock, &table->indexes, &table->nindexes);
	table->readable = table->relation->rd_rel->relam == HEAP_TABLE_AM_OID;
	table->buffer = InvalidBuffer;
	table->ahead = InvalidBuffer;
	table->step = 1;
	table->offset = FirstOffsetNumber;
	MemoryContextSwitchTo(caller);
	return table;
}

/* The table with this oid, opened if it is not open yet, and moved to the head of the list. */
static ToastTable *
find_table(ToastReader *reader, Oid relid)
{
	ToastTable **link = &reader->tables;
	ToastTable *table;

	while ((table = *link) != NULL && RelationGetRelid(table->relation) != relid)
		link = &table->next;
	if (table == NULL)
		table = open_table(reader, relid);
	else
		*link = table->next;
	table->next = reader->tables;
	reader->tables = table;
	return table;
}

static bool
worth_guessing(int failed_guesses)
{
	return failed_guesses < MAX_FAILED_GUESSES || failed_guesses % RARE_GUESS_INTERVAL == 0;
}

/* Copies chunks, the last one first, because a page is filled from its end and so they are read in ascending order. */
static void
copy_chunks(const FoundChunk *chunks, int nchunks)
{
	for (int i = nchunks; i-- > 0;)
		memcpy(chunks[i].place, chunks[i].data, chunks[i].size);
}

/*
 * True if the tuple is certain to be live.  The snapshot for TOAST tables does not tell: it
 * also accepts tuples of aborted inserters, and ignores deleters.
 */
static bool
is_live(ToastTable *table, HeapTupleHeader tuple)
{
	TransactionId inserter;

	if ((tuple->t_infomask & HEAP_MOVED) != 0 ||
		((tuple->t_infomask & HEAP_XMAX_INVALID) == 0 && TransactionIdIsValid(HeapTupleHeaderGetRawXmax(tuple))))
		return false;
	if (HeapTupleHeaderXminCommitted(tuple))
		return true;
	inserter = HeapTupleHeaderGetXmin(tuple);
	if (TransactionIdEquals(inserter, table->committed) || TransactionIdIsCurrentTransactionId(inserter))
		return true;
	if (!TransactionIdDidCommit(inserter))
		return false;
	table->committed = inserter;
	return true;
}

/*
 * Returns true and sets *chunk if the tuple at offset is the value's next chunk.  A guess
 * takes only live chunks; from the place that the index gives others are taken too.
 */
static bool
find_chunk(ToastTable *table, ToastValue *value, Page page, OffsetNumber offset,
		   bool guessed, FoundChunk *chunk)
{
	TupleDesc	descriptor = RelationGetDescr(table->relation);
	ItemId		item = PageGetItemId(page, offset);
	int32		place = value->next * TOAST_MAX_CHUNK_SIZE;
	int32		size = Min(TOAST_MAX_CHUNK_SIZE, value->size - place);
	struct varlena *data;
	HeapTupleData tuple;
	bool		isnull;

	if (!ItemIdIsNormal(item))
		return false;
	tuple.t_data = (HeapTupleHeader) PageGetItem(page, item);
	tuple.t_len = ItemIdGetLength(item);
	tuple.t_tableOid = RelationGetRelid(table->relation);
	ItemPointerSet(&tuple.t_self, BufferGetBlockNumber(table->buffer), offset);
	if (DatumGetObjectId(fastgetattr(&tuple, CHUNK_ID, descriptor, &isnull)) != value->id || isnull ||
		DatumGetInt32(fastgetattr(&tuple, CHUNK_SEQ, descriptor, &isnull)) != value->next || isnull ||
		!HeapTupleSatisfiesVisibility(&tuple, table->snapshot, table->buffer))
		return false;
	if (!is_live(table, tuple.t_data))
	{
		value->has_dead_chunks = true;
		if (guessed)
			return false;
	}
	data = (struct varlena *) DatumGetPointer(fastgetattr(&tuple, CHUNK_DATA, descriptor, &isnull));
	if (isnull || VARATT_IS_EXTERNAL(data) || VARATT_IS_COMPRESSED(data) || VARSIZE_ANY_EXHDR(data) != size)
		return false;
	chunk->data = VARDATA_ANY(data);
	chunk->size = size;
	chunk->place = value->place + place;
	return true;
}

/*
 * Pins the page behind the pinned block as well, in two cases.  If its buffer can be
 * guessed, that costs no look-up in the buffer table: pages that were loaded together
 * mostly lie in buffers of equal distance.  Buffers of temporary tables have numbers of
 * their own and are not guessed.  Otherwise the page is pinned if it will surely be read:
 * guesses have succeeded, or this value does not end on the pinned block.
 */
static void
look_ahead(ToastTable *table, const ToastValue *value, BlockNumber block)
{
	bool		ends_here = value->nchunks - value->next <= EXTERN_TUPLES_PER_PAGE;
	Buffer		likely = table->buffer + table->step;

	if (BufferIsValid(table->ahead) || block + 1 >= table->nblocks)
		return;
	if (!RelationUsesLocalBuffers(table->relation) && likely > 0 && likely <= NBuffers &&
		gpusort_compat_read_recent_buffer(table->relation, block + 1, likely))
		table->ahead = likely;
	else if (table->failed_guesses == 0 || (value->next > 0 && !ends_here))
	{
		table->ahead = ReadBuffer(table->relation, block + 1);
		table->step = table->ahead - table->buffer;
	}
}

/*
 * Copies the value's next chunks from the pinned page.  The first is searched from offset
 * on, or with only_there at offset only; those after it must follow immediately.
 */
static bool
read_from_page(ToastTable *table, ToastValue *value, BlockNumber block, OffsetNumber offset, bool only_there)
{
	Page		page = BufferGetPage(table->buffer);
	FoundChunk	chunks[MAX_CHUNKS_ON_PAGE];
	int			found = 0;
	OffsetNumber last;

	if (!only_there)
		look_ahead(table, value, block);
	LockBuffer(table->buffer, BUFFER_LOCK_SHARE);
	last = PageGetMaxOffsetNumber(page);
	for (; offset <= last && value->next < value->nchunks && found < MAX_CHUNKS_ON_PAGE; offset++)
	{
		if (find_chunk(table, value, page, offset, found > 0 || !only_there, &chunks[found]))
		{
			found++;
			value->next++;
		}
		else if (found > 0 || only_there)
			break;
	}
	copy_chunks(chunks, found);
	LockBuffer(table->buffer, BUFFER_LOCK_UNLOCK);
	if (found > 0)
	{
		table->block = offset <= last ? block : block + 1;
		table->offset = offset <= last ? offset : FirstOffsetNumber;
	}
	return found > 0;
}

static void
unpin(Buffer *buffer)
{
	if (BufferIsValid(*buffer))
		ReleaseBuffer(*buffer);
	*buffer = InvalidBuffer;
}

/* Pins a block if it exists. */
static bool
pin_block(ToastTable *table, BlockNumber block)
{
	if (BufferIsValid(table->buffer) && BufferGetBlockNumber(table->buffer) == block)
		return true;
	if (block >= table->nblocks)
	{
		table->nblocks = RelationGetNumberOfBlocks(table->relation);
		if (block >= table->nblocks)
			return false;
	}
	unpin(&table->buffer);
	if (BufferIsValid(table->ahead) && BufferGetBlockNumber(table->ahead) == block)
	{
		table->buffer = table->ahead;
		table->ahead = InvalidBuffer;
		return true;
	}
	unpin(&table->ahead);
	table->buffer = ReadBuffer(table->relation, block);
	return true;
}

/* Reads at least the value's next chunk if a guess finds it. */
static bool
read_by_guess(ToastTable *table, ToastValue *value)
{
	BlockNumber block = table->block;
	OffsetNumber offset = table->offset;

	for (int page = 0; page < MAX_GUESSED_PAGES; page++)
	{
		if (!pin_block(table, block))
			return false;
		if (read_from_page(table, value, block, offset, false))
			return true;
		block++;
		offset = FirstOffsetNumber;
	}
	return false;
}

/* Reads the value's next chunks while guesses find them, and counts the times that they do not. */
static void
read_by_guesses(ToastTable *table, ToastValue *value, int *failed)
{
	int32		first = value->next;

	CHECK_FOR_INTERRUPTS();
	while (value->next < value->nchunks && worth_guessing(*failed) && read_by_guess(table, value))
		CHECK_FOR_INTERRUPTS();
	*failed = value->next > first ? 0 : *failed + 1;
}

/* Reads at least the value's next chunk from the place that the index gives. */
static bool
read_by_index(ToastTable *table, ToastValue *value)
{
	ScanKeyData keys[2];
	ItemPointer tid;
	bool		found = false;

	ScanKeyInit(&keys[0], CHUNK_ID, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(value->id));
	ScanKeyInit(&keys[1], CHUNK_SEQ, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(value->next));
	if (table->scan == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(table));

		table->scan = gpusort_compat_index_beginscan(table->relation, table->indexes[table->valid_index],
													 table->snapshot, lengthof(keys));
		MemoryContextSwitchTo(caller);
	}
	table->scan->xs_snapshot = table->snapshot;
	index_rescan(table->scan, keys, lengthof(keys), NULL, 0);
	while (!found && (tid = index_getnext_tid(table->scan, ForwardScanDirection)) != NULL)
		found = pin_block(table, ItemPointerGetBlockNumber(tid)) &&
			read_from_page(table, value, ItemPointerGetBlockNumber(tid), ItemPointerGetOffsetNumber(tid), true);

	/* Without a position the scan holds no pin. */
	index_rescan(table->scan, NULL, lengthof(keys), NULL, 0);
	return found;
}

/* Writes the stored bytes of a value to place.  Returns false if PostgreSQL must read it. */
static bool
read_stored(ToastReader *reader, const varatt_external *pointer, char *place)
{
	ToastTable *table;
	ToastValue	value = {
		.id = pointer->va_valueid,
		.size = VARATT_EXTERNAL_GET_EXTSIZE(*pointer),
		.place = place
	};

	if (gpusort_force_nodes == GPUSORT_FORCE_ROW_BY_ROW)
		return false;
	table = find_table(reader, pointer->va_toastrelid);
	if (!table->readable || value.size <= 0)
		return false;
	if (table->snapshot == NULL)
		table->snapshot = gpusort_compat_toast_snapshot(&table->snapshot_data);
	value.nchunks = (value.size - 1) / TOAST_MAX_CHUNK_SIZE + 1;

	read_by_guesses(table, &value, &table->failed_guesses);
	while (value.next < value.nchunks)
	{
		if (value.has_dead_chunks || !read_by_index(table, &value))
			return false;
		if (value.next < value.nchunks)
			read_by_guesses(table, &value, &table->failed_later);
	}
	return true;
}

static void
flatten_stored(ToastReader *reader, struct varlena *attribute, Size size, char *place)
{
	varatt_external pointer;

	VARATT_EXTERNAL_GET_POINTER(pointer, attribute);
	if (VARATT_EXTERNAL_IS_COMPRESSED(pointer))
	{
		Size		stored = VARATT_EXTERNAL_GET_EXTSIZE(pointer) + VARHDRSZ;
		struct varlena *compressed = palloc(stored);

		if (read_stored(reader, &pointer, VARDATA(compressed)))
		{
			SET_VARSIZE_COMPRESSED(compressed, stored);
			flatten_compressed(compressed, size, place);
			pfree(compressed);
			return;
		}
		pfree(compressed);
	}
	else if (read_stored(reader, &pointer, place + VARHDRSZ))
	{
		SET_VARSIZE(place, size);
		return;
	}
	move_detoasted(detoast_attr(attribute), size, place);
}

/*
 * Writes a varlena to place, uncompressed and with a 4-byte header.  size must be what
 * toast_raw_datum_size returns for it.
 */
void
gpusort_toast_flatten(ToastReader *reader, Datum value, Size size, char *place)
{
	struct varlena *attribute = (struct varlena *) DatumGetPointer(value);

	/* External values come first, because the test for short headers is true for them too. */
	if (VARATT_IS_EXTERNAL_ONDISK(attribute))
		flatten_stored(reader, attribute, size, place);
	else if (VARATT_IS_EXTERNAL_EXPANDED(attribute))
		EOH_flatten_into(DatumGetEOHP(value), place, size);
	else if (VARATT_IS_EXTERNAL(attribute))
		move_detoasted(detoast_attr(attribute), size, place);
	else if (VARATT_IS_COMPRESSED(attribute))
		flatten_compressed(attribute, size, place);
	else if (VARATT_IS_SHORT(attribute))
	{
		memcpy(place + VARHDRSZ, VARDATA_SHORT(attribute), size - VARHDRSZ);
		SET_VARSIZE(place, size);
	}
	else
		memcpy(place, attribute, size);
}

/* Gives back pins and the snapshot. */
void
gpusort_toast_pause(ToastReader *reader)
{
	for (ToastTable *table = reader->tables; table != NULL; table = table->next)
	{
		unpin(&table->buffer);
		unpin(&table->ahead);
		table->snapshot = NULL;
	}
}

static void
close_table(ToastTable *table)
{
	if (table->scan)
		index_endscan(table->scan);
	toast_close_indexes(table->indexes, table->nindexes, AccessShareLock);
	table_close(table->relation, AccessShareLock);
	pfree(table);
}

/* Ends a reader and closes its tables. */
void
gpusort_toast_end(ToastReader *reader)
{
	gpusort_toast_pause(reader);
	while (reader->tables != NULL)
	{
		ToastTable *table = reader->tables;

		reader->tables = table->next;
		close_table(table);
	}
	pfree(reader);
}
