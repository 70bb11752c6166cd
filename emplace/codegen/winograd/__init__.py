"""Convolutions of images by Winograd's algorithm, as machine code.

Neighbours of the result are a tile, 2 x 2 or 4 x 4. The numbers of the image that they see, and
those of the filter, become as many points each by additions (`schemes.py`); the points are
multiplied one by one, summed over the channels in, and added up again to the tile. That is 4 or
2.25 multiplications per number of the result and channel where the definition takes 9, or 9 where
it takes 25. The sums over channels are products of matrices, one per point, of as many
tiles at once as stay in a processor's cache. The gradient of the image is a convolution, too; that
of the filter goes the same way backwards.

Images are (batch, rows, columns, channels), filters (*window, channels in, channels out); channels
are whole vectors of `lanes` numbers. A kernel keeps the points of a block of tiles in memory of its
own as (point, vector of channels, tile, lane): so the tiles of a product lie one after the other,
however many channels there are, and one text serves all sizes.
"""
