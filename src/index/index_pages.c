/*
 * index_pages.c
 *	  See index_pages.h.  The format is that of the server's access/nbtree/README.
 *
 * Each level of the tree has one page that is being filled.  A page that is full gives its last
 * item to its successor and keeps of it, as its high key, what tells the two pages apart.  The
 * successor's low key is the same tuple.  It goes to the level above, with the page's block as its
 * downlink, once the page is complete.  Blocks are numbered as pages are begun, and
 * pages are filled as far as PostgreSQL fills them.
 *
 * A page that is being filled has a line pointer without an item in the high key's place.  The last
 * page of a level has no high key, so its line pointers move up in the end.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "catalog/storage.h"
#include "utils/memutils.h"

#include "compat.h"
#include "index/index_file.h"
#include "index/index_pages.h"

#define LEVELS_MAX 32			/* a page has at least two children */

/* Posting lists take so much of a page that fillfactor 90 is kept. */
#define POSTING_TUPLE_MAX (MAXALIGN_DOWN(BLCKSZ * 10 / 100) - sizeof(ItemIdData))

typedef struct Level
{
	Page		page;			/* being filled */
	BlockNumber block;			/* its place in the file */
	OffsetNumber last;			/* its last item, P_HIKEY if there is none */
	Size		last_posting;	/* bytes of that item's posting list */
	Size		free_wanted;	/* a page with less free space is full */
	IndexTuple	low_key;		/* memory for the largest tuple */
} Level;

struct IndexPages
{
	Relation	index;
	IndexFile  *file;
	BTScanInsert scan_key;		/* for truncation */
	MemoryContext context;
	BlockNumber next_block;
	int			nlevels;
	Level		levels[LEVELS_MAX];
	BTDedupState pending;		/* equal tuples not yet added, or NULL if nothing is deduplicated */
};

static void add_item(IndexPages *pages, int height, IndexTuple tuple, Size posting);

IndexPages *
gpusort_index_pages_begin(Relation index)
{
	IndexPages *pages = palloc0(sizeof(IndexPages));

	pages->index = index;
	pages->context = CurrentMemoryContext;
	pages->file = gpusort_index_file_open(index);
	pages->scan_key = _bt_mkscankey(index, NULL);
	/* There is no metapage yet to tell _bt_mkscankey. */
	pages->scan_key->allequalimage = _bt_allequalimage(index, true);
	pages->next_block = BTREE_METAPAGE + 1;
	if (pages->scan_key->allequalimage && !index->rd_index->indisunique && BTGetDeduplicateItems(index))
	{
		pages->pending = palloc0(sizeof(BTDedupStateData));
		pages->pending->deduplicate = true;
		pages->pending->maxpostingsize = POSTING_TUPLE_MAX;
		pages->pending->htids = palloc(POSTING_TUPLE_MAX);
		pages->pending->base = palloc(BLCKSZ);
	}
	return pages;
}

/* Returns an empty page of a level, with a line pointer for its high key. */
static Page
new_page(IndexPages *pages, int height)
{
	Page		page = gpusort_index_file_page(pages->file);

	_bt_pageinit(page, BLCKSZ);
	BTPageGetOpaque(page)->btpo_level = height;
	BTPageGetOpaque(page)->btpo_flags = height == 0 ? BTP_LEAF : 0;
	((PageHeader) page)->pd_lower += sizeof(ItemIdData);
	return page;
}

/* Makes a tuple without attributes, which is less than all others. */
static void
make_minus_infinity(IndexTuple tuple)
{
	tuple->t_info = sizeof(IndexTupleData);
	BTreeTupleSetNAtts(tuple, 0, false);
}

/* Begins a level above those that there are. */
static void
add_level(IndexPages *pages)
{
	int			height = pages->nlevels++;
	Level	   *level = &pages->levels[height];

	if (height == LEVELS_MAX)
		elog(ERROR, "index \"%s\" has too many levels", RelationGetRelationName(pages->index));
	level->page = new_page(pages, height);
	level->block = pages->next_block++;
	level->last = P_HIKEY;
	level->free_wanted = height == 0 ? BTGetTargetPageFreeSpace(pages->index)
		: BLCKSZ * (100 - BTREE_NONLEAF_FILLFACTOR) / 100;
	level->low_key = MemoryContextAllocZero(pages->context, BLCKSZ);
	make_minus_infinity(level->low_key);
}

/* Appends an item to a page.  The first one of an inner page needs no key. */
static void
put_item(Page page, IndexTuple tuple, OffsetNumber offset, bool is_inner)
{
	IndexTupleData first;

	if (is_inner && offset == P_FIRSTKEY)
	{
		first = *tuple;
		make_minus_infinity(&first);
		tuple = &first;
	}
	if (PageAddItem(page, (void *) tuple, IndexTupleSize(tuple), offset, false, false) == InvalidOffsetNumber)
		elog(ERROR, "failed to add an item to a page of an index");
}

static IndexTuple
get_item(Page page, OffsetNumber offset)
{
	return (IndexTuple) PageGetItem(page, PageGetItemId(page, offset));
}

/* Turns the last item of a page into its high key. */
static void
make_high_key(IndexPages *pages, Page page, OffsetNumber last, bool is_leaf)
{
	ItemId		last_id = PageGetItemId(page, last);
	IndexTuple	high_key;

	*PageGetItemId(page, P_HIKEY) = *last_id;
	ItemIdSetUnused(last_id);
	((PageHeader) page)->pd_lower -= sizeof(ItemIdData);
	if (!is_leaf)
		return;
	/* A leaf needs no more of it than tells its last item from the next leaf's first. */
	high_key = _bt_truncate(pages->index, get_item(page, OffsetNumberPrev(last)), get_item(page, P_HIKEY), pages->scan_key);
	if (!PageIndexTupleOverwrite(page, P_HIKEY, (void *) high_key, IndexTupleSize(high_key)))
		elog(ERROR, "failed to put the high key on a page of an index");
	pfree(high_key);
}

/* Adds a level's page, which is complete, to the level above. */
static void
link_page(IndexPages *pages, int height)
{
	Level	   *level = &pages->levels[height];

	BTreeTupleSetDownLink(level->low_key, level->block);
	add_item(pages, height + 1, level->low_key, 0);
}

/* Writes a level's page, which is full, and begins the next one with its last item. */
static void
next_page(IndexPages *pages, int height)
{
	Level	   *level = &pages->levels[height];
	Page		page = level->page;
	Page		next = new_page(pages, height);
	BlockNumber next_block = pages->next_block++;
	IndexTuple	high_key;

	Assert(level->last > P_FIRSTKEY);
	put_item(next, get_item(page, level->last), P_FIRSTKEY, height > 0);
	make_high_key(pages, page, level->last, height == 0);
	if (pages->nlevels == height + 1)
		add_level(pages);
	link_page(pages, height);
	high_key = get_item(page, P_HIKEY);
	memcpy(level->low_key, high_key, IndexTupleSize(high_key));
	BTPageGetOpaque(page)->btpo_next = next_block;
	BTPageGetOpaque(next)->btpo_prev = level->block;
	gpusort_index_file_write(pages->file, level->block, page);
	level->page = next;
	level->block = next_block;
	level->last = P_FIRSTKEY;
}

/* Adds the next item of a level, of which some bytes are a posting list. */
static void
add_item(IndexPages *pages, int height, IndexTuple tuple, Size posting)
{
	Level	   *level = &pages->levels[height];
	Size		space = PageGetFreeSpace(level->page);
	/* The item may become a high key, to which a TID is appended if it is a leaf's. */
	Size		needed = IndexTupleSize(tuple) + (height == 0 ? MAXALIGN(sizeof(ItemPointerData)) : 0);

	/* A page gets two items, whatever its fill factor.  The posting list of a high key would be truncated. */
	if (space < needed || (space + level->last_posting < level->free_wanted && level->last > P_FIRSTKEY))
		next_page(pages, height);
	level->last = OffsetNumberNext(level->last);
	level->last_posting = posting;
	put_item(level->page, tuple, level->last, height > 0);
}

/* Adds the tuples that are equal, as one with a posting list if there are several. */
static void
add_pending(IndexPages *pages)
{
	BTDedupState pending = pages->pending;
	IndexTuple	tuple;

	if (pending->nitems == 1)
		add_item(pages, 0, pending->base, 0);
	else if (pending->nitems > 1)
	{
		tuple = _bt_form_posting(pending->base, pending->htids, pending->nhtids);
		add_item(pages, 0, tuple, IndexTupleSize(tuple) - BTreeTupleGetPostingOffset(tuple));
		pfree(tuple);
	}
	pending->nhtids = 0;
	pending->nitems = 0;
}

IndexTuple
gpusort_index_pages_add(IndexPages *pages, IndexTuple tuple)
{
	BTDedupState pending = pages->pending;
	IndexTuple	spare = tuple;

	if (pages->nlevels == 0)
		add_level(pages);
	if (pending == NULL)
		add_item(pages, 0, tuple, 0);
	else if (pending->nitems == 0 ||
			 _bt_keep_natts_fast(pages->index, pending->base, tuple) <= IndexRelationGetNumberOfKeyAttributes(pages->index) ||
			 !_bt_dedup_save_htid(pending, tuple))
	{
		add_pending(pages);
		spare = pending->base;
		_bt_dedup_start_pending(pending, tuple, InvalidOffsetNumber);
	}
	return spare;
}

/* Completes the last page of a level. */
static void
finish_level(IndexPages *pages, int height)
{
	Level	   *level = &pages->levels[height];
	PageHeader	header = (PageHeader) level->page;

	if (pages->nlevels == height + 1)
		BTPageGetOpaque(level->page)->btpo_flags |= BTP_ROOT;
	else
		link_page(pages, height);
	/* There is no high key. */
	memmove(PageGetItemId(level->page, P_HIKEY), PageGetItemId(level->page, P_FIRSTKEY),
			(level->last - P_HIKEY) * sizeof(ItemIdData));
	header->pd_lower -= sizeof(ItemIdData);
	gpusort_index_file_write(pages->file, level->block, level->page);
}

void
gpusort_index_pages_finish(IndexPages *pages)
{
	BlockNumber root = P_NONE;
	Page		metapage;

	if (pages->pending != NULL)
		add_pending(pages);
	for (int height = 0; height < pages->nlevels; height++)
	{
		root = pages->levels[height].block;
		finish_level(pages, height);
	}
	metapage = gpusort_index_file_page(pages->file);
	_bt_initmetapage(metapage, root, Max(pages->nlevels, 1) - 1, pages->scan_key->allequalimage);
	gpusort_index_file_write(pages->file, BTREE_METAPAGE, metapage);
	gpusort_index_file_close(pages->file);
}

void
gpusort_index_pages_abandon(IndexPages *pages)
{
	gpusort_index_file_close(pages->file);
	if (RelationGetNumberOfBlocks(pages->index) > 0)
		RelationTruncate(pages->index, 0);
}
