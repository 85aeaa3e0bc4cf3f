#include "board.h"
#include "parts.h"
