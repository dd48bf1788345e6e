/*
 * index_file.c
 *	  See index_file.h.
 */
#include "postgres.h"

#include "access/xloginsert.h"
#include "storage/smgr.h"

#include "compat.h"
#include "index/index_file.h"

#ifdef GPUSORT_BULK_WRITE
#include "storage/bulk_write.h"

struct IndexFile
{
	BulkWriteState *state;
};

IndexFile *
gpusort_index_file_open(Relation index)
{
	IndexFile  *file = palloc(sizeof(IndexFile));

	file->state = smgr_bulk_start_rel(index, MAIN_FORKNUM);
	return file;
}

Page
gpusort_index_file_page(IndexFile *file)
{
	return (Page) smgr_bulk_get_buf(file->state);
}

void
gpusort_index_file_write(IndexFile *file, BlockNumber block, Page page)
{
	smgr_bulk_write(file->state, block, (BulkWriteBuffer) page, true);
}

void
gpusort_index_file_close(IndexFile *file)
{
	smgr_bulk_finish(file->state);
	pfree(file);
}

#else

struct IndexFile
{
	Relation	index;
	MemoryContext context;
	BlockNumber blocks;			/* of the file so far */
};

IndexFile *
gpusort_index_file_open(Relation index)
{
	IndexFile  *file = palloc0(sizeof(IndexFile));

	file->index = index;
	file->context = CurrentMemoryContext;
	return file;
}

Page
gpusort_index_file_page(IndexFile *file)
{
	return (Page) GPUSORT_ALLOC_PAGE(file->context);
}

/* Extends the file by a block.  It is for gpusort_index_file_close to flush it. */
static void
extend(IndexFile *file, Page page)
{
	smgrextend(RelationGetSmgr(file->index), MAIN_FORKNUM, file->blocks++, (char *) page, true);
}

void
gpusort_index_file_write(IndexFile *file, BlockNumber block, Page page)
{
	if (RelationNeedsWAL(file->index))
		log_newpage(GPUSORT_LOCATOR(file->index), MAIN_FORKNUM, block, page, true);
	if (block > file->blocks)
	{
		Page		zeros = gpusort_index_file_page(file);

		memset(zeros, 0, BLCKSZ);
		while (block > file->blocks)
			extend(file, zeros);
		pfree(zeros);
	}
	PageSetChecksumInplace(page, block);
	if (block == file->blocks)
		extend(file, page);
	else
		smgrwrite(RelationGetSmgr(file->index), MAIN_FORKNUM, block, (char *) page, true);
	pfree(page);
}

/*
 * A checkpoint does not know of pages outside the buffer pool.  If there is one before the end of
 * the build, recovery begins behind the WAL of earlier pages, so they must be in the file.
 */
void
gpusort_index_file_close(IndexFile *file)
{
	if (RelationNeedsWAL(file->index))
		smgrimmedsync(RelationGetSmgr(file->index), MAIN_FORKNUM);
	pfree(file);
}

#endif
